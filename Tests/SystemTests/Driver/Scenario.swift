import EventLoop

/// One requirement of the whole system.
@EventLoop
struct Scenario {
    /// The number of the part that it belongs to, for the filter.
    let part: Int
    /// A sentence.
    let name: String
    let body: @EventLoop (GuestFixture) async throws -> Void

    init(part: Int, _ name: String, _ body: @escaping @EventLoop (GuestFixture) async throws -> Void) {
        self.part = part
        self.name = name
        self.body = body
    }

    static let all: [Scenario] =
        bluetoothButtons + sleepingButtons + radioFaults + programFaults + soundFaults + levels
        + wiredHeadsets + inputDevices + persistentKeys
        + autoStart + timeLimit + protection + waking + newLogin + fileFaults
        + hostileSignals + seat + standingStill + seatAccess + families + hostilePeripherals
        + serialMicrophones + fromTheBox + remoteControls + bluetoothHeadsets + twoUsers + virtualMicrophone
        + doctor + namespaces

    /// Whether a filter is the number of the part, or, if it is not a number, is in the name.
    func matches(_ filters: [String]) -> Bool {
        filters.isEmpty
            || filters.contains { filter in Int(filter).map { $0 == part } ?? name.contains(filter) }
    }
}
