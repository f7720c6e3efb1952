import EventLoop
import PTTCore
import PTTMessages

// What is saved, and what waits for it.
extension TalkSessionHost {
    /// Restores the channel of an earlier run. Call it before anything else.
    func restore() {
        guard let found = backends.store.load() else { return }
        if found.isAside { carryOut(saves.foundAside()) }
        if let volume = found.volume { post(.volumeRestored(volume)) }
        guard let channel = found.channel else { return }
        post(.restored(channel, descriptor: found.descriptor))
    }

    /// Calls `then` once, when all state that was ordered to be saved is on disk, or kept aside for a restart.
    func whenSettled(_ then: @escaping @EventLoop () -> Void) {
        settled = then
        notifyIfSettled()
    }

    func handle(_ report: StateStore.Report) {
        let steps =
            switch report {
            case .written: saves.written()
            case .notWritten(let reason): saves.notWritten(reason)
            case .overdue(let reason): saves.overdue(reason)
            case .retryTimeCame: saves.retry()
            }
        if !saves.isHolding { publishedStatus = nil }
        carryOut(steps)
    }

    func carryOut(_ steps: [SaveOrder.Step]) {
        for step in steps {
            switch step {
            case .perform(let effect, let time, let processID): perform(effect, at: time, for: processID)
            case .write: backends.store.write()
            case .keepAside: backends.store.keepAside()
            case .recovered:
                backends.store.forgetAside()
                post(.stateSaved)
            case .failed(let reason): post(.stateNotSaved(reason: reason))
            case .retryLater: backends.store.retryLater()
            }
        }
        updateHolders()
    }

    func notifyIfSettled() {
        guard saves.isSettled, let settled else { return }
        self.settled = nil
        settled()
    }
}
