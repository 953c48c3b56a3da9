SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build package package-test boot-test newcomer-test vulnerabilities sign release install uninstall demo run lint test accept hear-bench truth crowd learn check bench fuzz golden oracle walk soak clean

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# A Go that setup has fetched, if the machine's own is too old.
export PATH := $(CURDIR)/.tools/go/bin:$(PATH)
LDFLAGS := -X main.version=$(VERSION)
FUZZTIME ?= 10s

# The binding passes small numbers as pointers, which the race detector's pointer
# checks take for a fault.
RACE := -race -gcflags=github.com/gordonklaus/portaudio=-d=checkptr=0

TOOLS     := $(CURDIR)/.tools
GOFUMPT   := $(TOOLS)/gofumpt-v0.12.0
GOLANGCI  := $(TOOLS)/golangci-lint-v2.15.0

help: ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-10s %s\n", $$1, $$2 }'

setup: ## install what building and testing need (apt; says what and why first)
	@scripts/setup.sh

build: setup ## bin/voice-gateway and the house servers
	go build -buildvcs=false -trimpath -ldflags '$(LDFLAGS)' -o bin/voice-gateway ./cmd/voice-gateway
	CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '$(LDFLAGS)' -o bin/zwave-mcp-server ./cmd/zwave-mcp-server
	CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '$(LDFLAGS)' -o bin/home-assistant-mcp-server ./cmd/home-assistant-mcp-server

install: ## install the built programs as a service on this machine (root; PREFIX, DESTDIR, PROFILE)
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' PROFILE='$(PROFILE)' scripts/install.sh install

uninstall: ## remove the service; configuration and state stay
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install.sh uninstall

package: setup ## build dist/*.deb for amd64, arm64 and armhf, with sizes and checksums (ARCHITECTURES="amd64")
	@scripts/setup.sh package
	@scripts/package.sh $(ARCHITECTURES)

package-test: package ## test the packages in a fresh Debian: install, update, remove, purge; lintian; reproducible bytes (root; by hand, minutes)
	@scripts/setup.sh package-test
	@scripts/package-test.sh

boot-test: package ## test the package in a virtual machine with systemd: readiness, secrets, servers of others, watchdog, a second boot (root; by hand, a quarter of an hour)
	@scripts/setup.sh boot-test
	@scripts/boot-test.sh

newcomer-test: package ## follow the README in a fresh Debian: commands, minutes and downloads until a lamp is on (root; by hand, half an hour)
	@scripts/setup.sh newcomer-test
	@scripts/newcomer-test.sh

vulnerabilities: setup ## list known vulnerabilities of the linked modules (needs the internet)
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

# The signer's identity comes from a login in the browser, or from the workflow; there is
# no key to keep.
sign: ## sign the checksums in dist with cosign, as yourself or as the workflow that runs this (needs the internet)
	cd dist && sha256sum --check --strict SHA256SUMS
	go run github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3 sign-blob --yes --bundle dist/SHA256SUMS.sigstore.json dist/SHA256SUMS

release: ## publish dist with its checksums and their signature under the tag of this commit (with gh, logged in)
	@scripts/setup.sh release
	@for deb in dist/*.deb; do \
		maintainer=$$(dpkg-deb -f "$$deb" Maintainer) || exit 1; \
		case $$maintainer in *packages.invalid*) echo "$$deb names no maintainer; make it again: make package" >&2; exit 1 ;; esac; \
	done
	@cd dist && sha256sum --check --strict SHA256SUMS
	@[ -s dist/SHA256SUMS.sigstore.json ] || { echo "the sums are not signed; sign them: make sign" >&2; exit 1; }
	gh release create "$$(git describe --tags --exact-match --match 'v[0-9]*')" dist/*.deb dist/SHA256SUMS dist/SHA256SUMS.sigstore.json --verify-tag --notes-file CHANGELOG.md

demo: setup build ## demonstrate the whole path on this machine, without hardware, account or network
	bin/voice-gateway demo

# What setup has written goes before what the repository brings.
run: setup build ## run the daemon with configs/local.yaml, or else with configs/voice-gateway.yaml
	bin/voice-gateway run --config $(firstword $(wildcard configs/local.yaml) configs/voice-gateway.yaml)

lint: setup $(GOFUMPT) $(GOLANGCI) ## check formatting and module files, run go vet and the linters
	@unformatted=$$($(GOFUMPT) -l $(wildcard cmd e2e internal scripts)); \
	if [ -n "$$unformatted" ]; then echo "gofumpt would change:"; echo "$$unformatted"; exit 1; fi
	go mod tidy -diff
	go vet ./...
	go vet -tags accept ./...
	go vet -tags accept,alone,soak,oracle ./...
	$(GOLANGCI) run --allow-serial-runners ./...

# The neural recogniser's model, which models pull would install for a user too.
MODEL := $(TOOLS)/models/moonshine-tiny-en/tokenizer.bin

$(MODEL): | setup
	go run ./cmd/voice-gateway models pull --dir $(TOOLS)/models moonshine-tiny-en

# Some packages mostly wait for processes and clocks, so one more than there are
# processors is tested at once.
TESTED_AT_ONCE := $(shell echo $$(( $$(nproc) + 1 )))

# The longest tests begin first, so that they do not run alone at the end; those of MCP
# servers mostly wait.
LONGEST := ./e2e/voice-gateway ./internal/ear/stt ./internal/mcpint/host ./internal/zwave ./internal/mind ./internal/ear

# Without FRESH, go keeps the results of what has not changed. make lint vets, and
# test binaries are not debugged, so linking leaves out what a debugger needs.
TEST := go test -json -vet=off -ldflags=-w -timeout 20m -p $(TESTED_AT_ONCE) $(if $(FRESH),-count=1 -shuffle=on)

# Packages that start goroutines are tested with the race detector; in the others nothing
# can race. The programs that tests start are built once.
test: setup $(MODEL) ## run the tests that a change affects; with FRESH=1 all of them, in another order; lists skipped tests
	@TEST_PROGRAMS=$$(go run scripts/programs.go); TEST_WORKER=$$(go run scripts/programs.go worker); export TEST_PROGRAMS TEST_WORKER; \
	racing=$$(go run scripts/packages.go racing); plain=$$(go run scripts/packages.go plain); \
	{ failed=0; $(TEST) $(RACE) $(LONGEST) $$racing || failed=1; $(TEST) $$plain || failed=1; exit $$failed; } | go run scripts/tests.go

# Acceptance tests have the build tag accept and names that begin with TestAccept.
# The ear on recordings counts in the recordings' own time and waits minutes for its
# recognisers, so it gets only the time that all other tests leave (chrt --idle): these
# mostly wait for sound, and for the house. Home Assistant and MCP servers of others are
# installed meanwhile. The longest of the small packages begin first; the whole program and
# what is said about the house are tested after them, one after the other. The longest tests
# of the whole program listen in real time, which takes a tenth of a processor each. A slow
# machine leaves the ear little time until they are over, so it may take longer than they.
ACCEPT := go test -json -vet=off -tags accept -run '^TestAccept' -count=1 -timeout 40m
IDLE   := $(shell chrt --idle 0 true 2>/dev/null && echo chrt --idle 0 || echo nice -n 19)
HEARD  := .tools/hearing.json

accept: setup build $(MODEL) ## run the tests that need real processes for a long time (half an hour)
	@TEST_PROGRAMS=$$(go run scripts/programs.go); TEST_WORKER=$$(go run scripts/programs.go worker); export TEST_PROGRAMS TEST_WORKER; \
	dirs=$$(grep -rl --include='*_test.go' '^//go:build.*accept' e2e internal | xargs -r -n1 dirname | sort -u | sed 's|^|./|'); \
	whole=./e2e/voice-gateway; hearing=./e2e/hearing; truth=./e2e/truth; \
	{ failed=0; \
	$(IDLE) $(ACCEPT) -timeout 80m "$$hearing" >$(HEARD) & heard=$$!; \
	{ scripts/servers.sh || true; for python in 3.11 3.13; do scripts/homeassistant.sh $$python || true; done; } >/dev/null & installing=$$!; \
	$(ACCEPT) -p 3 ./internal/mcpint/host ./internal/ear/stt $$(grep -vx -e "$$whole" -e "$$hearing" -e "$$truth" <<<"$$dirs") || failed=1; \
	wait $$installing; \
	$(ACCEPT) -parallel 8 "$$whole" || failed=1; \
	$(ACCEPT) "$$truth" || failed=1; \
	wait $$heard || failed=1; cat $(HEARD); exit $$failed; } | go run scripts/tests.go

hear-bench: setup build $(MODEL) ## measure how well people are understood, with every recording and every mistake: orders, home commands, half sentences, music; and the delay at a sound card (two hours, on an idle machine)
	@go test -json -tags accept -run '^TestAcceptHearing' -count=1 -timeout 0 ./e2e/hearing -whole | go run scripts/tests.go
	@go test -json -tags accept,alone -run '^TestTurnsAlone' -count=1 -timeout 0 ./e2e/voice-gateway | go run scripts/tests.go
	@go test -json -tags accept -run '^TestAcceptChallengeWords' -count=1 -timeout 0 ./internal/ear/stt -every | go run scripts/tests.go
	@go test -json -tags alone -run '^TestHearNearMisses' -count=1 -timeout 0 ./internal/ear/wake | go run scripts/tests.go

truth: setup build $(MODEL) ## ask every question in every state of the house, test devices that misbehave and an obedient model, list every mistake (thirteen minutes)
	@go test -json -tags accept -run '^TestAcceptTruth' -count=1 -timeout 40m ./e2e/truth -whole | go run scripts/tests.go

crowd: setup ## judge what would be done about what a crowd said at home, without a model, beside the peers' figures; LIST=1 names what is not done (three minutes)
	@go test -json -tags accept -run '^TestAcceptCrowd' -count=1 -timeout 40m ./e2e/crowd -every $(if $(LIST),-whole) | go run scripts/tests.go

# What people said is not in the repository; the weights are.
learn: ## compute the weights of the reader from a crowd's sentences, CROWD=FILE (a minute)
	go run ./scripts/learn -crowd "$(CROWD)"

check: lint test ## run lint and test, before each commit

bench: setup $(MODEL) ## run the benchmarks and print them beside their budgets (about three minutes)
	@go run scripts/bench.go scripts/table.go

fuzz: setup ## run every fuzz target for FUZZTIME (10s)
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' e2e internal | sort | while IFS=: read -r file target; do \
		echo "== $${target#func } in $$(dirname "$$file")"; \
		go test -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")" </dev/null; \
	done

# Packages with golden files have a test flag named update.
golden: ## update the golden files; read the difference before you keep it
	@dirs=$$(grep -rl --include='*_test.go' 'flag.Bool("update"' e2e internal | xargs -r -n1 dirname | sort -u | sed 's|^|./|'); \
	[ -z "$$dirs" ] || go test -count=1 $$dirs -update

# The tests of the oracle have the build tag oracle; where they are, nothing else is.
oracle: setup ## write what the programs do for every sentence, conversation, route, verb and command to one file, the same on any machine; AGAINST=file prints each difference (ten minutes)
	@TEST_PROGRAMS=$$(go run scripts/programs.go); export TEST_PROGRAMS; \
	go run scripts/oracle.go $(if $(AGAINST),-against '$(AGAINST)') $(if $(TO),-to '$(TO)') $(if $(ONLY),-run '$(ONLY)')

# The programs are built with a note in every function, so a command takes seconds.
walk: setup ## which functions and packages a spoken command passes, counted while it runs; LIST=1 names them, WRITE=1 puts the table into docs/ARCHITECTURE.md
	@go run scripts/walk.go $(if $(LIST),-list) $(if $(WRITE),-write)

# Soak tests have the build tag soak and names that begin with TestSoak. SEED plays
# the same houses again, FOR is how long.
soak: setup build ## run the soak tests, by hand (twenty minutes; SEED=7 FOR=5m)
	@dirs=$$(grep -rl --include='*_test.go' '^//go:build soak' e2e internal | xargs -r -n1 dirname | sort -u | sed 's|^|./|'); \
	if [ -z "$$dirs" ]; then echo "soak: there are no soak tests yet"; exit 0; fi; \
	go test -json -tags soak,accept -run '^TestSoak' -count=1 -p 1 -timeout 0 $$dirs $(if $(SEED),-seed $(SEED)) $(if $(FOR),-for $(FOR)) | go run scripts/tests.go

clean: ## remove everything that make has built
	rm -rf bin dist .tools
	go clean -testcache

$(GOFUMPT):
	@echo "installing gofumpt $(lastword $(subst -, ,$(notdir $@)))"
	@GOBIN=$(TOOLS) go install mvdan.cc/gofumpt@$(lastword $(subst -, ,$(notdir $@))) && mv $(TOOLS)/gofumpt $@

$(GOLANGCI):
	@echo "installing golangci-lint $(lastword $(subst -, ,$(notdir $@))) (this takes some minutes)"
	@GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(lastword $(subst -, ,$(notdir $@))) && mv $(TOOLS)/golangci-lint $@
