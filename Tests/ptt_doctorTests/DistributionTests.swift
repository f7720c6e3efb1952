import PTTMessages
import Testing

@testable import ptt_doctor

@Suite struct DistributionTests {
    @Test(arguments: [
        ("ID=debian\n", Distribution.debian), ("ID=ubuntu\nID_LIKE=debian\n", .debian),
        ("NAME=Mint\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", .debian),
        ("PRETTY_NAME=\"Fedora Linux\"\nID=fedora\nVARIANT_ID=workstation\n", .fedora),
        ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", .fedora),
        ("ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", .openSUSE),
        ("ID='opensuse-leap'", .openSUSE), ("ID=endeavouros\nID_LIKE=arch\n", .arch),
        ("ID=nixos\nID_LIKE=\"\"\n", .nixOS),
    ])
    func `a distribution is known by its identifier, or by what it is like`(
        osRelease: String,
        distribution: Distribution
    ) {
        #expect(Distribution(osRelease: osRelease) == distribution)
    }

    @Test(arguments: ["", "ID=\n", "ID=void\n", "#ID=debian\n", "VERSION_ID=arch\n", "ID", "ID_LIKE"])
    func `any other is unknown`(osRelease: String) {
        #expect(Distribution(osRelease: osRelease) == nil)
    }

    @Test func `a package is installed by the command of the distribution, with its name there`() {
        let cure = Cure.install(.soundServer)
        let commands = Distribution.allCases.map { cure.resolved(on: $0) }
        #expect(
            commands == [
                .command("sudo apt install pipewire-pulse wireplumber"),
                .command("sudo dnf install pipewire-pulseaudio wireplumber"),
                .command("sudo zypper install pipewire-pulseaudio wireplumber"),
                .command("sudo pacman -S pipewire-pulse wireplumber"),
                .advice(Text("set services.pipewire.pulse.enable in the configuration of NixOS")),
            ]
        )
        #expect(
            cure.resolved(on: nil)
                == .advice(Text("install the packages that have pipewire-pulse and wireplumber"))
        )
    }

    @Test(arguments: SystemPackage.allCases)
    func `Debian has a command for each package, and no other a command of Debian`(package: SystemPackage) {
        let cure = Cure.install(package)
        #expect(cure.resolved(on: .debian).text.english.hasPrefix("sudo apt install "))
        for distribution in Distribution.allCases.map(Optional.some) + [nil] where distribution != .debian {
            let resolved = cure.resolved(on: distribution)
            #expect(!resolved.text.english.contains("apt"), "\(resolved)")
            if case .command = resolved { #expect(distribution != .nixOS && distribution != nil) }
        }
    }

    @Test func `push-to-talk is installed again, or one of two removed, as the distribution does it`() {
        let again = Cure.reinstall
        #expect(again.resolved(on: .debian) == .command("sudo apt install --reinstall push-to-talk"))
        #expect(again.resolved(on: .fedora) == .command("sudo dnf reinstall push-to-talk"))
        #expect(again.resolved(on: nil) == .advice(Text("install push-to-talk again")))
        let one = Cure.removeOne
        #expect(
            one.resolved(on: .debian)
                == .advice(
                    Text("run `sudo make uninstall` in the sources, or `sudo apt remove push-to-talk`")
                )
        )
        #expect(one.resolved(on: nil).text.english.hasSuffix("or remove the package push-to-talk"))
    }
}
