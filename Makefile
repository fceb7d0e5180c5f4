# The everyday targets. Each installs the Debian packages that it needs when it is run as root.
BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= object isa ir pm4 cp ioctl capture descriptor image
SEEDS ?= 1-100000
ROUNDS ?= 7
JOBS ?= $(shell nproc)

.PHONY: build test test-all demo bench fuzz random format install clean

build: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	scripts/install_deps build
	meson setup $(BUILD) --prefix=$(PREFIX)

# Everything that a change must pass: layers, unit tests, fixtures, fuzz corpora, the command, and kernels against the host.
test: build
	scripts/install_deps test
	scripts/test $(BUILD) $(JOBS)

# The full cross of kernels, chips, wave sizes and optimisation levels, and of Vulkan programs, chips, wave sizes and queues; all Vulkan programs on
# the host's Vulkan device, in place and on copies (some take its compiler minutes), and those on WebGPU.
test-all: test
	tests/diff/run_diff --tenfold $(BUILD)/src/tool/tenfold --jobs $(JOBS) --all
	tests/vulkan/run_vulkan --tenfold $(BUILD)/src/tool/tenfold --compute $(BUILD)/tests/vulkan/vk_compute --jobs $(JOBS) --all
	tests/vulkan/run_vulkan --tenfold $(BUILD)/src/tool/tenfold --compute $(BUILD)/tests/vulkan/vk_compute --jobs $(JOBS) --device vulkan --limit 900
	tests/vulkan/run_vulkan --tenfold $(BUILD)/src/tool/tenfold --compute $(BUILD)/tests/vulkan/vk_compute --jobs $(JOBS) --device vulkan --memory mirrored --limit 900
	tests/webgpu/run_webgpu --tenfold $(BUILD)/src/tool/tenfold --modules $(BUILD)/webgpu/node_modules --device vulkan --chip gfx1030
	tests/webgpu/run_webgpu --tenfold $(BUILD)/src/tool/tenfold --modules $(BUILD)/webgpu/node_modules --device vulkan --memory mirrored --chip gfx1030

# Pictures computed on the virtual GPU, and a report, under out/.
demo: build
	scripts/install_deps demo
	demo/run_demo --tenfold $(BUILD)/src/tool/tenfold --out out

# Guest kernels against the same in GLSL on this host's Vulkan device, back to back.
bench: $(BUILD)/build.ninja
	scripts/install_deps bench
	meson configure $(BUILD) -Dbench=enabled
	ninja -C $(BUILD)
	$(BUILD)/bench/tenfold-bench $(BUILD)/bench $(ROUNDS)
	$(BUILD)/bench/tenfold-bench-vulkan $(BUILD)/bench $(ROUNDS) $(if $(DEVICE),--device $(DEVICE))
	$(BUILD)/bench/tenfold-bench-clear $(BUILD)/bench $(ROUNDS) $(if $(DEVICE),--device $(DEVICE))
	$(BUILD)/bench/tenfold-bench-queue
	$(BUILD)/bench/tenfold-bench-submit $(BUILD)/bench
	$(BUILD)/src/tool/tenfold run --quiet -- $(BUILD)/bench/tenfold-bench-submit $(BUILD)/bench
	$(BUILD)/bench/tenfold-bench-image $(BUILD)/bench $(BUILD)/bench/image.txt write
	$(BUILD)/src/tool/tenfold run --quiet -- $(BUILD)/bench/tenfold-bench-image $(BUILD)/bench $(BUILD)/bench/image.txt compare

# Searches for inputs that break what reads or runs what a guest gave (tests/fuzz), FUZZ_SECONDS for each target.
fuzz:
	scripts/install_deps build fuzz
	scripts/fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# Random kernels against the host, as long as one likes: make random SEEDS=1-100000.
random: build
	scripts/install_deps test
	tests/diff/run_diff --tenfold $(BUILD)/src/tool/tenfold --jobs $(JOBS) --random $(SEEDS)

format:
	scripts/install_deps format
	scripts/format

install: build
	meson install -C $(BUILD)
	[ -n "$(DESTDIR)" ] || ldconfig

clean:
	rm -rf $(BUILD) build-asan build-tsan build-clang build-fuzz out
