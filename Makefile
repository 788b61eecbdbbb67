# The targets that the README names, and what developers use.
.DEFAULT_GOAL := help
SKYWAVE := $(or $(CARGO_TARGET_DIR),target)/release/skywave

.PHONY: help demo validate plots survey robust book test quick fast wasm build bench fuzz fmt lint extra prerequisites

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

prerequisites:
	@sh tools/prerequisites.sh

build: prerequisites ## Build the skywave command (optimised)
	cargo build --release --locked -p skywave-cli

demo: build ## Reproduce figure 7(a) of the CERL paper: table, gains beside the paper's, report
	$(SKYWAVE) reproduce cerl --only fig7a

validate: build ## Compare with ns-2's and ns-3's numbers, point by point (some minutes)
	$(SKYWAVE) validate

plots: build ## Draw the plots of docs again (a minute)
	for file in docs/mechanisms/*/*.toml docs/links/*.toml; do \
		$(SKYWAVE) run $$file --out $(or $(CARGO_TARGET_DIR),target)/plots --svg $$(dirname $$file) || exit 1; \
	done
	$(SKYWAVE) run examples/lossy-link.toml --out $(or $(CARGO_TARGET_DIR),target)/plots --svg docs

survey: build ## Run the survey's mechanisms over the same paths, and draw their map again (a minute)
	$(SKYWAVE) rank experiments/mechanisms/study.toml --out $(or $(CARGO_TARGET_DIR),target)/plots
	cp $(or $(CARGO_TARGET_DIR),target)/plots/mechanisms/ranking.svg docs/survey.svg

robust: build ## Measure the senders over 208 paths, and write the tables and curves of the pages again (a minute or two)
	sh tools/robust.sh $(SKYWAVE)

book: prerequisites ## Make the documentation as a site (installs mdBook into the build folder)
	sh tools/book.sh

test: prerequisites ## Run all tests
	sh tools/test.sh

quick: ## Run the unit tests of one crate after an edit: CRATE=core (TEST=words of their names), unoptimised
	cargo test --profile quick --locked -p skywave-$(or $(CRATE),core) --lib $(TEST)

fast: ## Run the tests of core, simulator and scenarios after an edit, unoptimised: all but the longest, few draws a property
	PROPTEST_CASES=6 cargo test --profile quick --locked -p skywave-core -p skywave-sim -p skywave-scenario --lib --tests -- \
		--skip bianchi --skip models --skip mutations --skip pauses

wasm: prerequisites ## Compare a run as WebAssembly with the same run natively (needs node)
	sh tools/wasm.sh

bench: prerequisites ## Time the engine, paired with ns-2 where that is installed
	cargo build --profile dist --locked -p skywave-sim --example throughput --example wireless --example fat
	python3 bench/run.py

fuzz: ## Fuzz for SECONDS=600 each (TARGET= for one of fuzz/'s targets; needs nightly and cargo-fuzz)
	sh tools/fuzz.sh $(or $(SECONDS),600) $(TARGET)

fmt: ## Format the code
	cargo fmt --all
	cargo fmt --manifest-path fuzz/Cargo.toml
	sh tools/ruff.sh --fix

lint: prerequisites ## Check formatting, lints and documentation, warnings denied (installs ruff into the build folder)
	cargo fmt --all --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	sh tools/ruff.sh
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo check --locked -p custom-cc # alone, so that skywave-lab is built without its features
	python3 tools/rooms.py
	python3 tools/words.py
	python3 tools/links.py
	python3 tools/reference.py --check
	python3 experiments/robust/draw.py --check
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --no-deps --locked

extra: prerequisites ## Check with the oldest compiler, without features, licences, advisories, and fuzz a minute, as far as the tools are here
	sh tools/extra.sh
