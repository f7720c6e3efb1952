# Push-to-Talk for Linux

SHELL = /bin/bash
PREFIX ?= /usr/local
DESTDIR ?=

bindir = $(PREFIX)/bin
# Below /usr and /usr/local alike systemd looks for units of users in lib/systemd/user.
unitdir = $(PREFIX)/lib/systemd/user
# And for the generators of their service managers in lib/systemd/user-generators.
generatordir = $(PREFIX)/lib/systemd/user-generators
# A data directory of the XDG Base Directory Specification below /usr and /usr/local alike.
manifestdir = $(PREFIX)/share/pushtotalk/applications
accessorydir = $(PREFIX)/share/pushtotalk/accessories
# What an application is called and looks like (Desktop Entry Specification), below PREFIX as well.
entrydir = $(PREFIX)/share/applications
# udev looks below /usr, /etc and, of late, /usr/local. Debian 12's does not, so that PREFIX does not count.
rulesdir ?= /usr/lib/udev/rules.d
hwdbdir ?= /usr/lib/udev/hwdb.d
# Nor does PipeWire look below PREFIX.
pipewiredir ?= /usr/share/pipewire/pipewire.conf.d

# Debian's packages have zsh's completions in vendor-completions.
zshdir ?= $(PREFIX)/share/zsh/site-functions
bashdir = $(PREFIX)/share/bash-completion/completions
fishdir = $(PREFIX)/share/fish/vendor_completions.d
mandir = $(PREFIX)/share/man

programs = pttd ptt-accessoryd ptt-actions ptt-indicator ptt-keys pttctl ptt-doctor ptt-sim ptt-echo
# Services of the system, which are not enabled.
systemunitdir ?= $(PREFIX)/lib/systemd/system
systemunits = ptt-keys.service ptt-keys@.service ptt-keys.socket
units = pttd.socket pttd.service ptt-accessoryd.socket ptt-accessoryd.service ptt-actions.socket \
  ptt-actions.service ptt-echo.service app-org.pushtotalk.Indicator.service
generator = push-to-talk-namespaces
manifest = ptt-echo.toml
entry = org.pushtotalk.Indicator.desktop
rule = 71-push-to-talk.rules
accessories = $(notdir $(wildcard Sources/Accessories/*.toml))
hwdb = 71-push-to-talk.hwdb
fragment = 50-push-to-talk.conf
# Release binaries without a Swift runtime beside them, and small in memory (`make bench` measures it). lld packs
# relocations (for glibc 2.36 and later), folds equal functions and exports no symbols. libstdc++, libbluetooth,
# libnettle and libgcc come from their archives, of which the programs need little; the first three are found before
# the shared libraries by their directory, which a copy of bluez.pc names because SwiftPM puts directories of
# pkg-config first.
# Where a distribution has no such archive, the shared library is used.
# Functions of a press lie side by side, in the order of a file that `make order` writes; it may have unknown names.
# press.ld does the same for functions without a name.
archives = $(CURDIR)/.build/archives
static = $(archives)/libstdc++.a $(archives)/libbluetooth.a $(archives)/libnettle.a $(archives)/bluez.pc
# What clang and lld have to make an attack harder. Full RELRO also binds all functions at the start, so that no press
# does; position-independent code and read-only relocations are the default.
harden = -Xlinker -z -Xlinker now -Xcc -fstack-protector-strong -Xcc -fstack-clash-protection \
  -Xcxx -D_FORTIFY_SOURCE=2 -Xcxx -D_GLIBCXX_ASSERTIONS
build_release = PKG_CONFIG_PATH=$(archives)$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH)) swift build $(release) $(harden)
release = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xswiftc -L$(archives) \
  -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker -O2 -Xlinker --icf=safe -Xlinker --no-export-dynamic \
  -Xlinker -z -Xlinker pack-relative-relocs \
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections \
  -Xlinker --symbol-ordering-file=$(order) -Xlinker --no-warn-symbol-ordering \
  -Xlinker -T -Xlinker $(CURDIR)/Sources/Programs/press.ld
order = $(CURDIR)/.build/press.order
# SwiftPM tracks neither that file nor the frontend flags: older objects and programs are deleted.
delete_stale = { find .build/release/ -maxdepth 1 -type f -perm -u+x ! -newer $(order) -delete; \
  find .build/release/ -name '*.swift.o' ! -newer Makefile -delete; } 2>/dev/null || true

# What bluetoothd is preloaded with where the kernel has no Bluetooth.
no_bluetooth = clang -shared -fPIC -O2 -o .build/release/no-bluetooth.so Tests/Benchmarks/NoBluetooth/no-bluetooth.c

# Of Applications/Mumble, beside what the programs above have.
mumble = Applications/Mumble
mumble_pages = $(mumble)/.build/pages
mumble_installed = '$(DESTDIR)$(bindir)/ptt-mumble' '$(DESTDIR)$(unitdir)/ptt-mumble.service' \
  '$(DESTDIR)$(manifestdir)/ptt-mumble.toml' '$(DESTDIR)$(mandir)/man1/ptt-mumble.1' '$(DESTDIR)$(bashdir)/ptt-mumble' \
  '$(DESTDIR)$(zshdir)/_ptt-mumble' '$(DESTDIR)$(fishdir)/ptt-mumble.fish'
# Which packages `make deb` makes beside its own.
WITH ?=

# The texts of the programs in other languages. Beside .build/release as below PREFIX beside bin.
languages = $(basename $(notdir $(wildcard po/*.po)))
catalogues = .build/share/locale
catalogue = LC_MESSAGES/push-to-talk.mo
localedir = $(PREFIX)/share/locale

# Where `make deb` writes, and how it packs (xz, zstd).
debs = .build/deb
compression = xz
# Where `make rpm` does.
rpms = .build/rpm

# Man pages and completions, in the layout of share/man and by shell.
pages = .build/pages
with_commands = pttctl ptt-sim
manuals = $(with_commands:%=%.1) $(notdir $(wildcard Documentation/man/*.[1-8]))

# Debian packages by command.
packages_build = gettext pkg-config libbluetooth-dev libdbus-1-dev libevdev-dev libpng-dev libpulse-dev libsystemd-dev libtomlplusplus-dev \
  libturbojpeg0-dev libudev-dev libwebp-dev nettle-dev python3
packages_po = $(packages_build)
packages_lint = $(packages_build)
packages_demo = $(packages_build) dbus-daemon pulseaudio pulseaudio-utils
packages_test = $(packages_demo) dbus dbus-user-session pipewire pipewire-bin pipewire-pulse python3-dbus python3-gi python3-pip systemd wireplumber
packages_bench = $(packages_build) dbus-bin dbus-daemon dbus-user-session bluez pipewire pipewire-bin pipewire-pulse pulseaudio pulseaudio-utils \
  systemd wireplumber
packages_order = $(packages_bench) valgrind
packages_desktop-test = $(packages_build) dbus-daemon dunst adwaita-icon-theme fonts-dejavu-core imagemagick libglib2.0-bin \
  pulseaudio pulseaudio-utils python3-dbus python3-gi xdg-desktop-portal xdotool xfce4-notifyd xfce4-panel xfwm4 xvfb
packages_desktops = $(packages_build) imagemagick iproute2 mmdebstrap
packages_call-test = $(packages_build) dbus-daemon pulseaudio pulseaudio-utils pipewire pipewire-bin pipewire-pulse pipewire-jack \
  wireplumber alsa-utils libasound2-plugins ffmpeg gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
  gstreamer1.0-pulseaudio baresip-core mumble mumble-server xvfb xdotool openssl sqlite3 iproute2 mmdebstrap \
  dbus-user-session systemd mosquitto mosquitto-clients mpv mpv-mpris playerctl pocketsphinx pocketsphinx-en-us espeak-ng xterm
packages_mumble = $(packages_build) libopus-dev libspeexdsp-dev
packages_mumble-test = $(packages_mumble) dbus-daemon iproute2 mumble-server openssl pulseaudio pulseaudio-utils python3-cryptography \
  python3-dbus python3-gi systemd util-linux
packages_mumble-bench = $(packages_mumble-test) mumble sqlite3 xdotool xvfb
packages_screenshots = $(packages_desktop-test) xterm
packages_docs = $(packages_build) python3
packages_fuzz = $(packages_build)
packages_rpm = $(packages_build) rpm
packages_release = $(packages_deb) $(packages_order) apt-utils gnupg
packages_release-test = $(packages_release) mmdebstrap
packages_debian-test = iproute2 mmdebstrap
packages_deb = $(packages_build) $(if $(filter mumble,$(WITH)),$(packages_mumble)) build-essential debhelper dpkg-dev fakeroot libstdc++-12-dev lintian
packages_system-test = $(packages_deb) busybox-static cpio e2fsprogs kmod mmdebstrap python3-pip qemu-system-x86 xz-utils zstd
packages_package-test = $(packages_system-test)
# The commands whose packages are installed: those of this call; `make dependencies` alone installs those of `make test`.
FOR ?= $(or $(filter build po deb rpm release release-test debian-test demo lint test bench order docs fuzz system-test package-test desktop-test desktops call-test mumble mumble-test mumble-bench screenshots,$(MAKECMDGOALS)),test)

FUZZ_SECONDS ?= 60
PRESSES ?= 30

strict = --explicit-target-dependency-import-check error
target = $(shell uname -m)-unknown-linux-gnu

# `packages` takes what `build` has built, and all builds are in one folder. SwiftPM uses all processors by itself.
.NOTPARALLEL:
.PHONY: help dependencies build po deb packages rpm source release release-key release-test debian-test docs install install-mumble uninstall demo lint test verify-units vm-image system-test package-test desktop-test desktops call-test mumble mumble-test mumble-bench screenshots bench order fuzz

help:  ## shows this
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 21

dependencies:  ## installs missing Debian packages, as the other commands do first (FOR=test); names them elsewhere
ifeq ($(shell type dpkg-query 2>/dev/null),)
	@.ci/missing-libraries bluez dbus-1 libevdev libpng libpulse libsystemd libturbojpeg libudev libwebp nettle tomlplusplus
else
	@.ci/install-packages 'make $(FOR)' $(sort $(foreach command,$(FOR),$(packages_$(command))))
endif

$(archives)/libstdc++.a: | dependencies
	@mkdir -p $(@D) && ! test -e "$$(clang -print-file-name=libstdc++.a)" || ln -sf "$$(clang -print-file-name=libstdc++.a)" $@

$(archives)/libbluetooth.a: private package = bluez
$(archives)/libnettle.a: private package = nettle
$(archives)/libbluetooth.a $(archives)/libnettle.a: | dependencies
	@mkdir -p $(@D) && ! test -e "$$(pkg-config --variable=libdir $(package))/$(@F)" \
	  || ln -sf "$$(pkg-config --variable=libdir $(package))/$(@F)" $@

$(archives)/bluez.pc: Makefile | dependencies
	@mkdir -p $(@D) && sed 's|^Libs:|Libs: -L$(archives)|' "$$(pkg-config --variable=pcfiledir bluez)/bluez.pc" > $@

# Until `make order` writes it: that of a source archive, or an empty one.
$(order): $(wildcard press.order)
	@mkdir -p $(@D) && cat $^ /dev/null > $@

build: dependencies $(static) $(order)  ## builds what `make install` installs: the programs, their man pages and completions
	@$(delete_stale)
	$(build_release)
	@.ci/make-pages .build/release $(pages) $(with_commands)
	@for language in $(languages); do mkdir -p $(catalogues)/$$language/LC_MESSAGES \
	  && msgfmt --check-format -o $(catalogues)/$$language/$(catalogue) po/$$language.po || exit 1; done

po: dependencies  ## brings the texts of the programs in po/*.po up to date with the sources
	@mkdir -p .build && po/extract > .build/push-to-talk.pot
	@for language in $(languages); do \
	  msgmerge --quiet --update --backup=none --no-location --no-wrap --no-fuzzy-matching po/$$language.po .build/push-to-talk.pot || exit 1; \
	  msgfmt --check-format --statistics -o /dev/null po/$$language.po || exit 1; done

deb: dependencies build $(filter mumble,$(WITH)) packages  ## Debian packages of what `make build` built, in .build/deb (WITH=mumble)
	lintian --fail-on error,warning $(debs)/*.changes
	@ls $(debs)/*.deb

# Without a build. dpkg-buildpackage writes beside and above debian/, so that it works on a copy.
packages:
	@rm -rf $(debs) && mkdir -p $(debs)/push-to-talk
	@cp -r debian Documentation CHANGELOG.md README.md $(debs)/push-to-talk
	@cd $(debs)/push-to-talk && PTT_SOURCE=$(CURDIR) PTT_COMPRESSION=$(compression) \
	  DEB_BUILD_PROFILES='$(WITH:%=pkg.push-to-talk.%)' \
	  dpkg-buildpackage --build=binary --unsigned-changes >../log 2>&1 || { tail -n 30 ../log; exit 1; }

# Where dpkg is, rpmbuild would find nothing that is installed: `dependencies` has looked. It fails if the spec
# lists a file that `make install` does not install, or the reverse.
rpm: dependencies source  ## RPM packages, built from what `make source` wrote, in .build/rpm
	@rm -rf $(rpms)
	rpmbuild -bb --clean $(if $(shell type dpkg-query 2>/dev/null),--nodeps) --define '_topdir $(CURDIR)/$(rpms)' \
	  --define '_sourcedir $(CURDIR)/.build/dist' packaging/push-to-talk.spec
	@ls $(rpms)/RPMS/*/*.rpm

demo: dependencies  ## one press through a private stack, and the echo of an application; writes demo.wav
	@for program in $(programs); do swift build --quiet --product $$program || exit 1; done
	@PTT_ACCESSORIES=$(CURDIR)/Sources/Accessories .build/debug/ptt-sim demo

lint: dependencies  ## what needs no build: format, and that each text of the programs is in each language
	swift format lint --strict --recursive Package.swift Sources Examples Tests
	@# The formatter leaves comments as they are.
	@! LC_ALL=C.UTF-8 grep -rnP --include='*.swift' '^(?=\s*//)(?!// module).{111}' Package.swift Sources Examples Tests \
	  || { echo 'these comments are wider than 110 columns' >&2; exit 1; }
	@mkdir -p .build && po/extract > .build/push-to-talk.pot
	@for language in $(languages); do msgcmp po/$$language.po .build/push-to-talk.pot \
	  || { echo "po/$$language.po: texts are missing, run make po" >&2; exit 1; }; done

test: lint  ## `make lint`, build, and all tests that need no virtual machine
	swift build --build-tests $(strict)
	@Tests/lanes
	@$(MAKE) --no-print-directory verify-units

# systemd reads the units as they will be installed, with the programs that were just built.
verify-units:
	@rm -rf .build/units && mkdir -p .build/units
	@for unit in $(units); do sed 's|@bindir@|$(CURDIR)/.build/debug|' systemd/$$unit > .build/units/$$unit; done
	XDG_RUNTIME_DIR=$(CURDIR)/.build/units systemd-analyze verify --user --man=no $(units:%=.build/units/%)
	@for unit in $(systemunits); do sed 's|@bindir@|$(CURDIR)/.build/debug|' systemd/$$unit > .build/units/$$unit; done
	systemd-analyze verify --man=no $(systemunits:%=.build/units/%)

source: $(order)  ## the sources with what they depend on, which build without a network, in .build/dist
	@.ci/source-archive

release: release-key order deb source  ## what a release has, in .build/dist: an apt repository, an archive for other distributions, sources, checksums, notes (RELEASE_KEY=)
	@.ci/release '$(RELEASE_KEY)'

# Before minutes of building.
release-key:
	@gpg --list-secret-keys '$(or $(RELEASE_KEY),none)' >/dev/null 2>&1 \
	  || { echo "make release: RELEASE_KEY=$(RELEASE_KEY) is no key that gpg can sign with" >&2; exit 1; }

release-test: dependencies  ## what `make release` wrote, installed on Debian 12 and 13 without a compiler; needs root
	@Tests/SystemTests/release

debian-test: dependencies source  ## `make demo`, `make test` and `make deb` on Debian 13 (SUITE=), in a root that it makes; needs root
	@Tests/SystemTests/in-root

docs: dependencies  ## the documentation of the library PushToTalk, as web pages in .build/docs
	swift build --target PushToTalk
	@rm -rf .build/symbols .build/docs && mkdir -p .build/symbols
	@for module in PushToTalk PTTPlatformTypes; do swift symbolgraph-extract -module-name $$module -target $(target) \
	  -I .build/debug/Modules -experimental-allowed-reexported-modules=CPushToTalk \
	  $(patsubst %,-I %,$(wildcard Sources/System/C* Sources/Client/C* .build/debug/C*.build)) \
	  -minimum-access-level public -skip-synthesized-members -output-dir .build/symbols || exit 1; done
	@mkdir -p .build/declarations
	@clang -extract-api -x objective-c-header --product-name=PushToTalk -o .build/declarations/C.symbols.json \
	  $(abspath $(wildcard Sources/Client/CPushToTalk/*.h))
	@.ci/comment-symbols PT .build/symbols/PushToTalk.symbols.json .build/declarations/C.symbols.json
	@.ci/comment-symbols AV .build/symbols/PTTPlatformTypes.symbols.json .build/declarations/C.symbols.json
	docc convert Sources/Client/PushToTalk/PushToTalk.docc --additional-symbol-graph-dir .build/symbols \
	  --output-path .build/docs --fallback-display-name PushToTalk --fallback-bundle-identifier org.pushtotalk \
	  --warnings-as-errors --transform-for-static-hosting
	@echo "to read: python3 -m http.server -d .build/docs, then http://localhost:8000/documentation/pushtotalk"

fuzz: dependencies  ## random bytes for each parser of untrusted input (FUZZ_SECONDS=60)
	Tests/Fuzz/run $(FUZZ_SECONDS)

# Before the build: making the image needs root, and may ask for a password.
vm-image: | dependencies
	@Tests/SystemTests/vm/build-image

system-test: dependencies vm-image build  ## the programs against real Bluetooth, udev and PipeWire in a virtual machine
	Tests/SystemTests/run
	swift build --build-tests $(strict)
	Tests/SystemTests/kernel-tests

package-test: dependencies vm-image build  ## the Debian packages installed, upgraded and purged in the virtual machine
	Tests/SystemTests/packages

desktop-test: dependencies  ## ptt-indicator on a real panel, notification daemons and portal without a screen; pictures in .build/desktop
	@for program in pttd pttctl ptt-indicator; do swift build --quiet --product $$program || exit 1; done
	Tests/DesktopTests/run

desktops: dependencies build  ## ptt-indicator in sessions of GNOME 48 and 50 and Plasma 6.3 and 6.7; makes their roots, 5 GB, and needs root
	Tests/DesktopTests/desktops

call-test: dependencies build  ## programs that record, calls, and the recipes of actions, here, and on Debian 13 in a root that it makes
	@for program in pttd pttctl ptt-actions; do swift build --quiet --product $$program || exit 1; done
	Tests/CallTests/run
	Tests/CallTests/recipes
	Tests/CallTests/trixie
	Tests/CallTests/trixie recipes

mumble: dependencies  ## Applications/Mumble: a channel of a Mumble server; downloads Swift packages, and takes long the first time
	swift build --package-path $(mumble) -c release --static-swift-stdlib --product ptt-mumble
	@.ci/make-completions $(mumble)/.build/release/ptt-mumble $(mumble_pages)

install-mumble:  ## installs what `make mumble` built, beside what `make install` installs
	@test -x $(mumble)/.build/release/ptt-mumble \
	  || { echo "make install-mumble: no $(mumble)/.build/release/ptt-mumble, run make mumble first" >&2; exit 1; }
	@test -d $(mumble_pages) || { echo "make install-mumble: no $(mumble_pages), run make mumble first" >&2; exit 1; }
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(unitdir)' '$(DESTDIR)$(manifestdir)' '$(DESTDIR)$(mandir)/man1' \
	  '$(DESTDIR)$(bashdir)' '$(DESTDIR)$(zshdir)' '$(DESTDIR)$(fishdir)'
	install -s $(mumble)/.build/release/ptt-mumble '$(DESTDIR)$(bindir)'
	sed 's|@bindir@|$(bindir)|' $(mumble)/systemd/ptt-mumble.service > '$(DESTDIR)$(unitdir)/ptt-mumble.service'
	chmod 644 '$(DESTDIR)$(unitdir)/ptt-mumble.service'
	install -m 644 $(mumble)/systemd/ptt-mumble.toml '$(DESTDIR)$(manifestdir)'
	install -m 644 $(mumble)/ptt-mumble.1 '$(DESTDIR)$(mandir)/man1'
	install -m 644 $(mumble_pages)/bash/* '$(DESTDIR)$(bashdir)'
	install -m 644 $(mumble_pages)/zsh/* '$(DESTDIR)$(zshdir)'
	install -m 644 $(mumble_pages)/fish/* '$(DESTDIR)$(fishdir)'

mumble-test: dependencies  ## its tests, with a real mumble-server on loopback
	swift format lint --strict --recursive $(mumble)/Package.swift $(mumble)/Sources $(mumble)/Tests
	@for program in pttd pttctl ptt-indicator; do swift build --quiet --product $$program || exit 1; done
	swift test --package-path $(mumble) $(strict)
	@mkdir -p .build/units && sed 's|@bindir@/ptt-mumble|$(CURDIR)/$(mumble)/.build/debug/ptt-mumble|' \
	  $(mumble)/systemd/ptt-mumble.service > .build/units/ptt-mumble.service
	XDG_RUNTIME_DIR=$(CURDIR)/.build/units systemd-analyze verify --user --man=no .build/units/ptt-mumble.service
	$(mumble)/Tests/EndToEnd/run
	$(mumble)/Tests/EndToEnd/network
	$(mumble)/Tests/EndToEnd/families

mumble-bench: dependencies $(static) $(order) mumble  ## ptt-mumble beside the Mumble program: latency, loss, clipping, memory, wake-ups; 10 minutes (PRESSES=30)
	@$(delete_stale)
	@for program in pttd pttctl; do $(build_release) --quiet --product $$program || exit 1; done
	PTT_PROGRAMS=$(CURDIR)/.build/release PTT_MUMBLE=$(CURDIR)/$(mumble)/.build/release/ptt-mumble \
	  $(mumble)/Tests/EndToEnd/benchmark $(PRESSES)

screenshots: dependencies  ## the pictures of the documentation from the programs, not as root; commit .github/screenshots
	@for program in pttd ptt-accessoryd pttctl ptt-doctor ptt-indicator ptt-sim; do swift build --quiet --product $$program || exit 1; done
	Tests/DesktopTests/run screenshots

bench: dependencies $(static) $(order)  ## latency, memory and wake-ups beside other programs, and hostile peers; 12 minutes
	@$(delete_stale)
	@for program in pttd ptt-accessoryd ptt-actions ptt-indicator pttctl ptt-bench; do \
	  $(build_release) --quiet --product $$program || exit 1; done
	@$(no_bluetooth)
	@cp pipewire/$(fragment) .build/release
	@test -s $(order) || echo 'make bench: these programs are without the order of functions that a release has, and take more memory; make order writes it'
	@PTT_ACCESSORIES=$(CURDIR)/Sources/Accessories .build/release/ptt-bench

order: dependencies $(static) $(order)  ## places the functions of a press side by side in what is built from then on, as `make release` does first
	@$(delete_stale)
	@for program in pttd ptt-accessoryd ptt-actions ptt-bench; do \
	  $(build_release) --quiet --product $$program || exit 1; done
	@$(no_bluetooth)
	PTT_ACCESSORIES=$(CURDIR)/Sources/Accessories Tests/Benchmarks/order $(order)

install:  ## installs programs, user services, and what udev and PipeWire read (DESTDIR=, PREFIX=/usr/local)
	@for program in $(programs); do test -x .build/release/$$program \
	  || { echo "make install: no .build/release/$$program, run make build first" >&2; exit 1; }; done
	@test -d $(pages) || { echo "make install: no $(pages), run make build first" >&2; exit 1; }
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(unitdir)' '$(DESTDIR)$(rulesdir)' '$(DESTDIR)$(manifestdir)' \
	  '$(DESTDIR)$(hwdbdir)' '$(DESTDIR)$(systemunitdir)' '$(DESTDIR)$(generatordir)'
	install -s $(programs:%=.build/release/%) '$(DESTDIR)$(bindir)'
	for unit in $(units); do \
	  sed 's|@bindir@|$(bindir)|' systemd/$$unit > '$(DESTDIR)$(unitdir)'/$$unit || exit 1; \
	done
	for unit in $(systemunits); do \
	  sed 's|@bindir@|$(bindir)|' systemd/$$unit > '$(DESTDIR)$(systemunitdir)'/$$unit || exit 1; \
	done
	chmod 644 $(units:%='$(DESTDIR)$(unitdir)/%') $(systemunits:%='$(DESTDIR)$(systemunitdir)/%')
	install -m 755 systemd/$(generator) '$(DESTDIR)$(generatordir)'
	install -m 644 udev/$(rule) '$(DESTDIR)$(rulesdir)'
	install -m 644 udev/$(hwdb) '$(DESTDIR)$(hwdbdir)'
	install -d '$(DESTDIR)$(pipewiredir)'
	install -m 644 pipewire/$(fragment) '$(DESTDIR)$(pipewiredir)'
	install -m 644 systemd/$(manifest) '$(DESTDIR)$(manifestdir)'
	install -d '$(DESTDIR)$(entrydir)'
	sed 's|@bindir@|$(bindir)|' systemd/$(entry) > '$(DESTDIR)$(entrydir)/$(entry)'
	chmod 644 '$(DESTDIR)$(entrydir)/$(entry)'
	install -d '$(DESTDIR)$(accessorydir)'
	install -m 644 $(accessories:%=Sources/Accessories/%) '$(DESTDIR)$(accessorydir)'
	for page in $(pages)/man/*/*; do \
	  install -D -m 644 $$page '$(DESTDIR)$(mandir)'/$${page#$(pages)/man/} || exit 1; done
	install -d '$(DESTDIR)$(bashdir)' '$(DESTDIR)$(zshdir)' '$(DESTDIR)$(fishdir)'
	install -m 644 $(pages)/bash/* '$(DESTDIR)$(bashdir)'
	install -m 644 $(pages)/zsh/* '$(DESTDIR)$(zshdir)'
	install -m 644 $(pages)/fish/* '$(DESTDIR)$(fishdir)'
	for language in $(languages); do install -D -m 644 $(catalogues)/$$language/$(catalogue) \
	  '$(DESTDIR)$(localedir)'/$$language/$(catalogue) || exit 1; done

uninstall:  ## removes what `make install` and `make install-mumble` installed
	rm -f $(mumble_installed) $(programs:%='$(DESTDIR)$(bindir)/%') $(units:%='$(DESTDIR)$(unitdir)/%') '$(DESTDIR)$(rulesdir)/$(rule)' \
	  '$(DESTDIR)$(hwdbdir)/$(hwdb)' '$(DESTDIR)$(pipewiredir)/$(fragment)' $(systemunits:%='$(DESTDIR)$(systemunitdir)/%') \
	  '$(DESTDIR)$(generatordir)/$(generator)' '$(DESTDIR)$(manifestdir)/$(manifest)' '$(DESTDIR)$(entrydir)/$(entry)' \
	  $(accessories:%='$(DESTDIR)$(accessorydir)/%') \
	  $(foreach page,$(manuals),'$(DESTDIR)$(mandir)/man$(subst .,,$(suffix $(page)))/$(page)') \
	  $(foreach program,$(with_commands),'$(DESTDIR)$(bashdir)/$(program)' '$(DESTDIR)$(zshdir)/_$(program)' \
	    '$(DESTDIR)$(fishdir)/$(program).fish') \
	  $(languages:%='$(DESTDIR)$(localedir)/%/$(catalogue)')
