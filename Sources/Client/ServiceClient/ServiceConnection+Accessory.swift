package import PTTMessages

/// The methods of `org.pushtotalk.Accessory`; ``AccessoryInterface/description`` says what each does.
extension ServiceConnection {
    package func devices() async throws(ServiceError) -> AccessoryInterface.DevicesReply {
        try await call(AccessoryInterface.getDevices, NoParameters())
    }

    /// - Returns: A note of what could not be done, for people; nil if everything was.
    package func forget(_ address: String) async throws(ServiceError) -> String? {
        try await call(
            AccessoryInterface.forget,
            AccessoryInterface.AddressRequest(address: address),
            timeLimit: .seconds(30)
        ).remark
    }
}
