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
        + wiredHeadsets + inputDevices + joysticks + serialSwitches + persistentKeys
        + autoStart + timeLimit + protection + waking + newLogin + fileFaults
        + hostileSignals + seat + standingStill + seatAccess + families + hostilePeripherals
        + serialMicrophones + fromTheBox + remoteControls + bluetoothHeadsets + twoUsers + virtualMicrophone
        + doctor + namespaces + actions + keyService + latch + recordings + advertisements + keyTimes

    /// True if a filter is the number of the part, a share of all parts that has it, as `1/2`, or text in the
    /// name.
    func matches(_ filters: [String]) -> Bool {
        filters.isEmpty || filters.contains(where: matches)
    }

    private func matches(_ filter: String) -> Bool {
        if let number = Int(filter) { return number == part }
        let share = filter.split(separator: "/").map { Int($0) }
        if share.count == 2, let first = share[0], let count = share[1], count > 0 {
            return part % count == first % count
        }
        return name.contains(filter)
    }
}
