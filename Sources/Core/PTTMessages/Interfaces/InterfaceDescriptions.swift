// The files in this folder: the daemons' replies to `org.varlink.service.GetInterfaceDescription`. They stay
// within the grammar that the parsers of both systemd and Python accept.
//
// SwiftPM writes `PackageResources`; `Tests/Fuzz/run` compiles the module without it and without this folder.

extension AccessoryInterface {
    package static let description = text(PackageResources.org_pushtotalk_Accessory_varlink)
}

extension ActionInterface {
    package static let description = text(PackageResources.org_pushtotalk_Action_varlink)
}

extension ApplicationInterface {
    package static let description = text(PackageResources.org_pushtotalk_Application_varlink)
}

extension ChannelInterface {
    package static let description = text(PackageResources.org_pushtotalk_Channel_varlink)
}

extension KeyInterface {
    package static let description = text(PackageResources.org_pushtotalk_Key_varlink)
}

extension PushInterface {
    package static let description = text(PackageResources.org_pushtotalk_Push_varlink)
}

/// Without the end of the last line.
private func text(_ file: [UInt8]) -> String { String(decoding: file.dropLast(), as: UTF8.self) }
