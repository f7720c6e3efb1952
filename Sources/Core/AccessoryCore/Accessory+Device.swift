package import PTTMessages

extension Accessory {
    /// The accessory as it is listed.
    package var device: AccessoryDevice {
        AccessoryDevice(
            kind: origin.kind,
            identifier: origin.identifier,
            name: origin.name,
            profile: definition.name,
            mode: gesture.mode,
            link: linkState,
            isPressed: buttons.isAnyDown,
            remark: remark,
            battery: battery,
            accessory: definition.identifier,
            lastRole: lastPress?.role,
            lastPress: lastPress?.time.microseconds
        )
    }

    /// True if a press would be detected, whether or not it counts.
    package var isReady: Bool { presence == .ready }

    /// The inputs whose notifications will be on with the next link.
    package var unlinkedInputs: [Int] {
        guard case .gatt(let link) = link else { return [] }
        return link.inputs.indices.filter { link[$0] == .unlinked }
    }

    /// The part of ``device`` whose changes are published.
    var listing: (LinkState, String?, String, Int?) { (linkState, remark, origin.name, battery) }

    private var presence: LinkState {
        switch link {
        case .gatt(let link): link.linkState
        case .stream(let link): link.linkState
        case .keys(let link): link.linkState
        }
    }

    private var linkState: LinkState {
        let presence = presence
        return presence == .ready && gesture.lockedUntil != nil ? .unused : presence
    }

    private var remark: String? { advice ?? ownRemark }

    private var ownRemark: String? {
        let presence = presence
        if presence != .away, gesture.lockedUntil != nil {
            return "its key triggers by itself, as with a dirty plug: clean it or plug it in again; "
                + "the key works again after \(Gesture.silence.components.seconds) s without a press"
        }
        if case .gatt(let link) = link, let remark = link.remark { return remark }
        if case .stream(let link) = link, let remark = link.remark { return remark }
        if case .withheld(let reason, cause: _) = permission { return reason }
        if case .keys = link { return nil }
        guard buttons.isAnyHeld else { return nil }
        return "it is pressed, but the press was not observed: release it"
    }

    // MARK: - What is published of a press

    func publish(
        _ verdict: Gesture.Verdict,
        _ kind: AccessoryEventKind,
        _ role: ButtonRole,
        _ report: inout Report,
        _ effects: inout EffectList
    ) {
        report.isPublished = true
        switch verdict {
        case .pending: break
        case .ignored(let reason): ignore(reason, role, &report, &effects)
        case .counted: publish(kind, report.sample, of: role, report.note, &effects)
        case .pressAndReleaseCounted:
            publish(.pressed, report.sample, of: role, report.note, &effects)
            publish(.released, report.sample, of: role, report.note, &effects)
        }
    }

    func ignore(_ reason: String, _ role: ButtonRole?, _ report: inout Report, _ effects: inout EffectList) {
        report.isPublished = true
        let remark = report.note.map { "\($0): \(reason)" } ?? reason
        publish(.ignored, report.sample, of: role, remark, &effects)
    }

    func publish(
        _ kind: AccessoryEventKind,
        _ sample: Sample,
        of role: ButtonRole? = nil,
        _ remark: String?,
        _ effects: inout EffectList
    ) {
        let event = AccessoryEvent(kind, device: device, role: role, value: sample.text, remark: remark)
        effects.append(.publish(event))
    }

    /// Publishes why what was sent changed nothing.
    func publishPassed(_ report: Report, _ effects: inout EffectList) {
        let reason: String? =
            switch report.passed {
            case .nothing: nil
            case .alreadyReleased:
                if case .keys = link { "the press was not observed" } else { "already released" }
            case .alreadyPressed: "already pressed"
            case .mirrored: "repeated by another characteristic"
            case .repeated: "repeated"
            case .releasedWhileConnecting: "released while connecting"
            case .pressedWhileConnecting: "pressed while connecting"
            case .letGo: "released; the next press counts"
            case .notObserved: "the press was not observed"
            }
        var report = report
        if let reason { return ignore(reason, nil, &report, &effects) }
        guard let note = report.note else { return }
        report.note = nil
        ignore(note, nil, &report, &effects)
    }
}
