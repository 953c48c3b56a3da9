"""Lays out a Home Assistant with one user and its demo integration, and prints the user's
long-lived access token.

Usage: python family.py DIRECTORY, with the Python of a Home Assistant. It stands for what a
family has done before it hears of the gateway, and for the token that is made in the profile. The Go tests
have LayHomeAssistant in e2e/rig for the same.
"""

import json
import pathlib
import sys
import time

import jwt

KEY = "a key of a house that is there for a few minutes"


def store(key, version, data):
    (place / ".storage" / key).write_text(json.dumps({"version": version, "minor_version": 1, "key": key, "data": data}))


place = pathlib.Path(sys.argv[1])
(place / ".storage").mkdir(parents=True)
(place / "configuration.yaml").write_text(
    "http: {server_host: 127.0.0.1}\n"
    "logger: {default: warning}\n"
    "homeassistant: {name: house, time_zone: UTC, unit_system: metric, currency: EUR, country: DE}\n"
    "config:\n"
    "demo:\n"
)
store("onboarding", 4, {"done": ["user", "core_config", "analytics", "integration"]})
store("auth", 1, {
    "users": [{
        "id": "user", "group_ids": ["system-admin"], "is_owner": True, "is_active": True, "name": "Family",
        "system_generated": False, "local_only": False,
    }],
    "groups": [
        {"id": "system-admin", "name": "Administrators"},
        {"id": "system-users", "name": "Users"},
        {"id": "system-read-only", "name": "Read Only"},
    ],
    "credentials": [],
    "refresh_tokens": [{
        "id": "token", "user_id": "user", "client_id": None, "client_name": "voice-gateway", "client_icon": None,
        "token_type": "long_lived_access_token", "created_at": "2025-01-01T00:00:00+00:00", "access_token_expiration": 315360000.0,
        "token": "token", "jwt_key": KEY, "last_used_at": None, "last_used_ip": None, "expire_at": None, "credential_id": None, "version": None,
    }],
})
now = int(time.time())
print(jwt.encode({"iss": "token", "iat": now, "exp": now + 86400}, KEY, algorithm="HS256"))
