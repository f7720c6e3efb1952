import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import MumbleCore

@Suite struct PictureTests {
    private var test: TestSession

    init() throws {
        test = try TestSession()
        test.join()
    }

    private mutating func say(_ populate: (inout WireUserState) -> Void) -> [ServerSession.Effect] {
        test.say(.userState(.with(populate)))
    }

    private mutating func announce(_ session: UInt32) {
        _ = say {
            $0.session = session
            $0.textureHash = Data([1])
        }
    }

    private mutating func receive(_ bytes: [UInt8], of session: UInt32) -> [ServerSession.Effect] {
        say {
            $0.session = session
            $0.texture = Data(bytes)
        }
    }

    @Test mutating func `a picture is asked for once, and is there when the server has sent it`() throws {
        announce(4)
        let asked = try TestSession.messages(test.session.wantPicture(of: 4))
        #expect(asked == [.requestBlob(.with { $0.sessionTexture = [4] })])
        #expect(test.session.picture(of: 4) == nil)
        #expect(test.session.wantPicture(of: 4).isEmpty)
        #expect(receive([7, 8], of: 4) == [.pictured(session: 4)])
        #expect(test.session.picture(of: 4) == [7, 8])
        #expect(test.session.wantPicture(of: 4).isEmpty)
    }

    @Test mutating func `nobody is asked for a picture that there is not`() {
        #expect(test.session.wantPicture(of: 9).isEmpty)
        #expect(test.session.wantPicture(of: 77).isEmpty)
        announce(4)
        _ = receive([], of: 4)
        #expect(test.session.wantPicture(of: 4).isEmpty)
    }

    @Test mutating func `a small picture, which the server sends by itself, is asked for too`() {
        #expect(receive([7], of: 4).isEmpty)
        #expect(test.session.picture(of: 4) == nil)
        #expect(!test.session.wantPicture(of: 4).isEmpty)
    }

    @Test mutating func `another picture is asked for, and none is shown that was taken away`() {
        announce(4)
        _ = test.session.wantPicture(of: 4)
        _ = receive([7], of: 4)
        announce(4)
        #expect(test.session.picture(of: 4) == nil)
        #expect(!test.session.wantPicture(of: 4).isEmpty)
        _ = receive([8], of: 4)
        #expect(receive([9], of: 4).isEmpty)
        #expect(test.session.picture(of: 4) == nil)
        #expect(!test.session.wantPicture(of: 4).isEmpty)
        _ = receive([9], of: 4)
        _ = receive([], of: 4)
        #expect(test.session.picture(of: 4) == nil)
    }

    @Test mutating func `the number of somebody who has left has no picture for the next`() {
        announce(4)
        _ = test.session.wantPicture(of: 4)
        _ = receive([7], of: 4)
        _ = test.say(.userRemove(.with { $0.session = 4 }))
        #expect(test.session.picture(of: 4) == nil)
        #expect(receive([7], of: 4).isEmpty)
    }

    @Test mutating func `a server fills no memory with pictures`() {
        for session in UInt32(100)..<200 {
            #expect(receive([7], of: session).isEmpty)
        }
        announce(4)
        _ = test.session.wantPicture(of: 4)
        #expect(receive([UInt8](repeating: 7, count: Pictures.longest + 1), of: 4).isEmpty)
        #expect(test.session.picture(of: 4) == nil)
        for session in UInt32(100)..<200 {
            _ = test.session.wantPicture(of: session)
            _ = receive([7], of: session)
        }
        let kept = (UInt32(100)..<200).filter { test.session.picture(of: $0) != nil }
        #expect(kept == Array(UInt32(200 - UInt32(Pictures.limit))..<200))
    }
}
