// Package configs holds the shipped configurations as texts, so that a program that is
// installed alone can begin a configuration with every comment.
package configs

import _ "embed" // the profile is a part of the program

// Profile is configs/voice-gateway.yaml: every key with its default and a comment.
//
//go:embed voice-gateway.yaml
var Profile string

// Server is configs/zwave-mcp-server.yaml: every setting of zwave-mcp-server with its
// default and a comment.
//
//go:embed zwave-mcp-server.yaml
var Server string

// HomeAssistantServer is configs/home-assistant-mcp-server.yaml: every setting of
// home-assistant-mcp-server with its default and a comment.
//
//go:embed home-assistant-mcp-server.yaml
var HomeAssistantServer string
