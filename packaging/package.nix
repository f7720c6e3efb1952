# Untried: nobody has built this with Nix yet, and its Swift must be 6.2 or later. NixOS needs the units, the udev rule
# and the PipeWire fragment by systemd.packages, services.udev.packages and services.pipewire.configPackages.
{ lib, swift, swiftpm, clang, gettext, lld, stdenv, fetchurl, pkg-config, python3, bluez, dbus, libevdev, libjpeg_turbo, libpng
, libpulseaudio, libwebp, nettle, systemd, tomlplusplus }:

stdenv.mkDerivation rec {
  pname = "push-to-talk";
  version = "0.1.0";
  src = fetchurl {
    url = "https://pushtotalk.example/push-to-talk-${version}.tar.gz";
    hash = lib.fakeHash;
  };
  nativeBuildInputs = [ swift swiftpm clang gettext lld pkg-config python3 ];
  buildInputs = [ bluez dbus libevdev libjpeg_turbo libpng libpulseaudio libwebp nettle systemd tomlplusplus ];
  PTT_WARNINGS = "allow";
  buildPhase = "make build";
  installPhase = ''
    make install PREFIX=$out rulesdir=$out/lib/udev/rules.d hwdbdir=$out/lib/udev/hwdb.d \
      pipewiredir=$out/share/pipewire/pipewire.conf.d
  '';
  dontStrip = true;
  meta = {
    description = "Hold a button and talk, in any call or application";
    # Of the programs with what is linked into them: debian/copyright.
    license = with lib.licenses; [ gpl3Plus mit asl20 ];
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
