import CoreConfiguration
import Glibc

/// The local time.
struct LocalTime {
    let week: WeekTime
    private let parts: tm
    private let time: Int

    static var now: LocalTime {
        // Not time(2), which may be a tick behind the clock of a timer that has just fired.
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return LocalTime(at: now.tv_sec)
    }

    /// - Parameter time: In seconds since 1970.
    init(at time: Int) {
        // localtime_r(3) alone would stay in the time zone in which the process started.
        tzset()
        var (time, parts) = (time, tm())
        localtime_r(&time, &parts)
        (self.time, self.parts) = (time, parts)
        week = WeekTime(weekday: Int(parts.tm_wday), minute: Int(parts.tm_hour) * 60 + Int(parts.tm_min))
    }

    /// Returns the time at which the clock will show `minutes` more, in seconds since 1970; daylight saving
    /// time may begin or end before. In an hour that comes twice it may be in a minute, to be asked again.
    func seconds(in minutes: Int) -> Int {
        var parts = parts
        parts.tm_min += Int32(minutes)
        parts.tm_sec = 0
        parts.tm_isdst = -1
        let result = mktime(&parts)
        // mktime(3) chooses one of the two, which may be over.
        return result > time ? result : time + 60
    }
}
