"""Classic Bluetooth (BR/EDR) in the simulated air: what Bumble 0.0.236's controller lacks.

Bumble's Controller has LMP for connections, names, features and secure simple pairing, but a Linux
kernel cannot use it as a classic adapter: it declares BR_EDR_NOT_SUPPORTED, and lacks inquiry, link
keys, encryption, the page timeout and about twenty commands of the kernel's set-up. They are here.
LE buttons and classic accessories share one Air, in one process.
"""
import asyncio
import struct

from bumble import controller, hci, lmp
from bumble.core import PhysicalTransport

import button_radio

# Seconds. The default of a real adapter is 5.12.
PAGE_TIMEOUT = 2.0
PAGE_INTERVAL = 0.1
INQUIRY_RESPONSE_TIME = 0.05
# The unit of an inquiry's length, in seconds.
INQUIRY_UNIT = 1.28

# Bits of Write Scan Enable.
INQUIRY_SCAN, PAGE_SCAN = 1, 2

Feature = hci.LmpFeatureMask
Status = hci.HCI_ErrorCode

# Commands that only have to be accepted, by opcode: their return parameters, or how many bytes of
# the command's own parameters (a handle) follow the status.
ACCEPTED = {
    0x080D: 2,  # Write Link Policy Settings
    0x080F: b"\0",  # Write Default Link Policy Settings
    0x0C05: b"\0",  # Set Event Filter
    0x0C0D: b"\0\0\0\0\0",  # Read Stored Link Key
    0x0C12: b"\0\0\0",  # Delete Stored Link Key
    0x0C16: b"\0",  # Write Connection Accept Timeout
    0x0C18: b"\0",  # Write Page Timeout
    0x0C1B: b"\0\x00\x08\x12\x00",  # Read Page Scan Activity
    0x0C1C: b"\0",  # Write Page Scan Activity
    0x0C1E: b"\0",  # Write Inquiry Scan Activity
    0x0C20: b"\0",  # Write Authentication Enable
    0x0C25: b"\0\x60\x00",  # Read Voice Setting
    0x0C26: b"\0",  # Write Voice Setting
    0x0C37: 2,  # Write Link Supervision Timeout
    0x0C38: b"\0\x01",  # Read Number Of Supported IAC
    0x0C39: b"\0\x01\x33\x8b\x9e",  # Read Current IAC LAP
    0x0C3A: b"\0",  # Write Current IAC LAP
    0x0C43: b"\0",  # Write Inquiry Scan Type
    0x0C45: b"\0",  # Write Inquiry Mode
    0x0C46: b"\0\0",  # Read Page Scan Type
    0x0C47: b"\0",  # Write Page Scan Type
    0x0C58: b"\0\0",  # Read Inquiry Response Transmit Power Level
    0x0C7A: b"\0",  # Write Secure Connections Host Support
}


class Air(button_radio.Air):
    """Carries classic packets too."""

    def lose(self, member, peers):
        super().lose(member, peers)
        for peer in peers:
            for one, other in ((member, peer), (peer, member)):
                if other.public_address in one.classic_connections:
                    one.on_classic_disconnected(other.public_address, Status.CONNECTION_TIMEOUT_ERROR)

    def classic_peer(self, member, address):
        """The controller with this address, if both are in reach."""
        peer = self.find_classic_controller(address)
        if peer is None or peer is member or not self.reachable(peer) or not self.reachable(member):
            return None
        return peer

    def send_acl_data(self, sender, destination, transport, data):
        if transport == PhysicalTransport.LE:
            return super().send_acl_data(sender, destination, transport, data)
        receiver = self.classic_peer(sender, destination)
        if receiver is not None:
            asyncio.get_running_loop().call_soon(
                receiver.on_link_acl_data, sender.public_address, transport, data
            )

    def send_lmp_packet(self, sender, receiver_address, packet):
        receiver = self.classic_peer(sender, receiver_address)
        if receiver is not None:
            asyncio.get_running_loop().call_soon(receiver.on_lmp_packet, sender.public_address, packet)


class Controller(button_radio.Controller):
    """A dual-mode controller: the adapter and the classic accessories have one each."""

    lmp_features = (
        Feature.LE_SUPPORTED_CONTROLLER
        | Feature.EXTENDED_FEATURES
        | Feature.ENCRYPTION
        | Feature.RSSI_WITH_INQUIRY_RESULTS
        | Feature.EXTENDED_INQUIRY_RESPONSE
        | Feature.SECURE_SIMPLE_PAIRING_CONTROLLER_SUPPORT
        | Feature.SIMULTANEOUS_LE_AND_BR_EDR_TO_SAME_DEVICE_CAPABLE_CONTROLLER
        | Feature.LMP_3_SLOT_PACKETS
        | Feature.LMP_5_SLOT_PACKETS
        | Feature.SNIFF_MODE
        | Feature.SCO_LINK
        | Feature.EXTENDED_SCO_LINK_EV3_PACKETS
        | Feature.CVSD_SYNCHRONOUS_DATA
    )
    lmp_features_max_page_number = 2
    acl_data_packet_length = 1021
    sco_data_packet_length = 240
    supported_commands = controller.Controller.supported_commands | {
        hci.HCI_WRITE_SIMPLE_PAIRING_MODE_COMMAND,
        # Without it the kernel takes the adapter for one without voice.
        hci.HCI_READ_VOICE_SETTING_COMMAND,
        hci.HCI_ENHANCED_SETUP_SYNCHRONOUS_CONNECTION_COMMAND,
        hci.HCI_ENHANCED_ACCEPT_SYNCHRONOUS_CONNECTION_REQUEST_COMMAND,
    }
    class_of_device = 0
    # The timers of an inquiry and of a page, and whom that page is for.
    inquiry = None
    paging = None
    paged = None

    # ---- Commands

    def on_packet(self, packet):
        if packet[0] == hci.HCI_COMMAND_PACKET:
            opcode, parameters = struct.unpack_from("<H", packet, 1)[0], packet[4:]
            answer = ACCEPTED.get(opcode)
            if isinstance(answer, int):
                answer = b"\0" + parameters[:answer]
            if answer is not None:
                self.send_event(hci.HCI_COMMAND_COMPLETE_EVENT, struct.pack("<BH", 1, opcode) + answer)
                return
        if packet[0] == hci.HCI_SYNCHRONOUS_DATA_PACKET:
            self.send_voice(packet)
            return
        super().on_packet(packet)

    def send_event(self, code, parameters):
        if self.host:
            packet = bytes([hci.HCI_EVENT_PACKET, code, len(parameters)]) + parameters
            asyncio.get_running_loop().call_soon(self.host.on_packet, packet)

    def send_hci_packet(self, packet):
        match packet:
            case hci.HCI_Link_Key_Notification_Event():
                # Bumble declares every key authenticated, also that of "just works".
                packet.key_type = hci.LinkKeyType.UNAUTHENTICATED_COMBINATION_KEY_GENERATED_FROM_P_192
            case hci.HCI_Authentication_Complete_Event():
                # Only the side that has requested it receives this event.
                connection = self.find_classic_connection_by_handle(packet.connection_handle)
                if connection is not None and not connection.ssp_state.is_initiator:
                    return
        super().send_hci_packet(packet)

    def on_hci_reset_command(self, command):
        for address in list(self.classic_connections):
            self.link.send_lmp_packet(
                self, address, lmp.LmpDetach(Status.REMOTE_USER_TERMINATED_CONNECTION_ERROR)
            )
        self.classic_connections.clear()
        self.classic_pending_commands.clear()
        self.classic_scan_enable = 0
        self.stop_inquiry()
        self.stop_paging()
        return super().on_hci_reset_command(command)

    def on_hci_write_class_of_device_command(self, command):
        self.class_of_device = command.class_of_device
        return super().on_hci_write_class_of_device_command(command)

    # ---- Inquiry

    def on_hci_inquiry_command(self, command):
        self._send_hci_command_status(Status.SUCCESS, command.op_code)
        loop = asyncio.get_running_loop()
        if self.link.reachable(self):
            for member in list(self.link.controllers):
                if member is not self and self.link.reachable(member):
                    if getattr(member, "classic_scan_enable", 0) & INQUIRY_SCAN:
                        loop.call_later(INQUIRY_RESPONSE_TIME, self.report_found, member)
        self.inquiry = loop.call_later(command.inquiry_length * INQUIRY_UNIT, self.inquiry_complete)

    def report_found(self, member):
        if self.inquiry is None:
            return
        name = member.local_name.encode().rstrip(b"\0")
        response = bytes([len(name) + 1, 0x09]) + name  # its complete name
        class_of_device = member.class_of_device
        if isinstance(class_of_device, int):
            class_of_device = class_of_device.to_bytes(3, "little")
        self.send_event(
            hci.HCI_EXTENDED_INQUIRY_RESULT_EVENT,
            b"\x01"  # one response
            + bytes(member.public_address)
            + b"\x01\x00"  # page scan repetition mode R1, reserved
            + bytes(class_of_device)[:3]
            + b"\0\0"  # clock offset
            + struct.pack("b", self.rssi)
            + response.ljust(240, b"\0"),
        )

    def inquiry_complete(self):
        self.inquiry = None
        self.send_event(hci.HCI_INQUIRY_COMPLETE_EVENT, b"\0")

    def on_hci_inquiry_cancel_command(self, _command):
        self.stop_inquiry()
        return hci.HCI_StatusReturnParameters(Status.SUCCESS)

    def stop_inquiry(self):
        if self.inquiry is not None:
            self.inquiry.cancel()
            self.inquiry = None

    # ---- Connections

    def can_page(self, address):
        peer = self.link.classic_peer(self, address)
        return peer is not None and peer.classic_scan_enable & PAGE_SCAN

    def on_hci_create_connection_command(self, command):
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        self.paged = command.bd_addr
        self.page(asyncio.get_running_loop().time() + PAGE_TIMEOUT)

    def page(self, end):
        """A device that comes into reach while it is paged answers."""
        address, loop = self.paged, asyncio.get_running_loop()
        self.paging = None
        if self.can_page(address):
            self.classic_connections[address] = controller.Connection(
                controller=self,
                handle=0,
                role=hci.Role.CENTRAL,
                self_address=self.public_address,
                peer_address=address,
                link=self.link,
                transport=PhysicalTransport.BR_EDR,
                link_type=hci.HCI_Connection_Complete_Event.LinkType.ACL,
            )
            self.send_lmp_packet(address, lmp.LmpHostConnectionReq()).add_done_callback(
                lambda answer: self.on_classic_connection_complete(address, answer.result())
            )
        elif loop.time() < end:
            self.paging = loop.call_later(PAGE_INTERVAL, self.page, end)
        else:
            self.page_failed(address, Status.PAGE_TIMEOUT_ERROR)

    def page_failed(self, address, status):
        self.classic_connections.pop(address, None)
        self.send_hci_packet(
            hci.HCI_Connection_Complete_Event(
                status=status,
                connection_handle=0,
                bd_addr=address,
                encryption_enabled=False,
                link_type=hci.HCI_Connection_Complete_Event.LinkType.ACL,
            )
        )

    def stop_paging(self):
        if self.paging is not None:
            self.paging.cancel()
            self.paging = None

    def on_hci_create_connection_cancel_command(self, command):
        status = Status.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
        if self.paging is not None and self.paged == command.bd_addr:
            status = Status.SUCCESS
            self.stop_paging()
            asyncio.get_running_loop().call_soon(
                self.page_failed, command.bd_addr, Status.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
            )
        return hci.HCI_StatusAndAddressReturnParameters(status, command.bd_addr)

    def on_hci_reject_connection_request_command(self, command):
        self._send_hci_command_status(Status.SUCCESS, command.op_code)
        refusal = lmp.LmpNotAccepted(lmp.Opcode.LMP_HOST_CONNECTION_REQ, command.reason)
        self.link.send_lmp_packet(self, command.bd_addr, refusal)
        self.page_failed(command.bd_addr, command.reason)

    def on_classic_connection_complete(self, peer_address, status):
        super().on_classic_connection_complete(peer_address, status)
        if status != Status.SUCCESS:
            self.classic_connections.pop(peer_address, None)

    def on_hci_disconnect_command(self, command):
        connection = self.find_classic_connection_by_handle(command.connection_handle)
        if connection is None:
            return super().on_hci_disconnect_command(command)
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        self.link.send_lmp_packet(self, connection.peer_address, lmp.LmpDetach(command.reason))
        self.on_classic_disconnected(
            connection.peer_address, Status.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR
        )

    def on_lmp_packet(self, sender_address, packet):
        match packet:
            case lmp.LmpDetach(reason):
                self.on_classic_disconnected(sender_address, reason)
            case lmp.LmpAccepted() | lmp.LmpNotAccepted() | lmp.LmpAcceptedExt():
                # Bumble keeps a command after its answer, and raises at a second one.
                pending = self.classic_pending_commands.get(sender_address, {})
                future = pending.pop(lmp.Opcode(packet.response_opcode), None)
                if future is not None and not future.done():
                    future.set_result(getattr(packet, "error_code", Status.SUCCESS))
            case _:
                super().on_lmp_packet(sender_address, packet)

    def on_hci_remote_name_request_command(self, command):
        if self.link.classic_peer(self, command.bd_addr) is not None:
            return super().on_hci_remote_name_request_command(command)
        self._send_hci_command_status(Status.SUCCESS, command.op_code)
        asyncio.get_running_loop().call_later(
            PAGE_TIMEOUT,
            self.send_event,
            hci.HCI_REMOTE_NAME_REQUEST_COMPLETE_EVENT,
            bytes([Status.PAGE_TIMEOUT_ERROR]) + bytes(command.bd_addr) + bytes(248),
        )

    def on_hci_read_clock_offset_command(self, command):
        self._send_hci_command_status(Status.SUCCESS, command.op_code)
        self.send_event(
            hci.HCI_READ_CLOCK_OFFSET_COMPLETE_EVENT,
            struct.pack("<BHH", Status.SUCCESS, command.connection_handle, 0),
        )

    def on_hci_read_remote_version_information_command(self, command):
        self._send_hci_command_status(Status.SUCCESS, command.op_code)
        self.send_event(
            hci.HCI_READ_REMOTE_VERSION_INFORMATION_COMPLETE_EVENT,
            # Bluetooth 5.0, of no manufacturer.
            struct.pack("<BHBHH", Status.SUCCESS, command.connection_handle, 9, 0xFFFF, 0),
        )

    # ---- Voice

    def on_hci_read_buffer_size_command(self, command):
        answer = super().on_hci_read_buffer_size_command(command)
        answer.hc_synchronous_data_packet_length = self.sco_data_packet_length
        answer.hc_total_num_synchronous_data_packets = 8
        return answer

    def send_voice(self, packet):
        """Uncompressed between the hosts: nothing encodes CVSD. The kernel does not count these packets."""
        link = self.find_classic_sco_link_by_handle(struct.unpack_from("<H", packet, 1)[0] & 0xFFF)
        peer = self.link.classic_peer(self, link.peer_address) if link else None
        other = peer.sco_links.get(self.public_address) if peer else None
        if other is not None and peer.host:
            arrived = packet[:1] + struct.pack("<H", other.handle) + packet[3:]
            asyncio.get_running_loop().call_soon(peer.host.on_packet, arrived)

    def on_classic_disconnected(self, peer_address, reason):
        # Voice does not outlive its link.
        if peer_address in self.sco_links:
            self.on_classic_sco_disconnected(peer_address, reason)
        super().on_classic_disconnected(peer_address, reason)

    # ---- Security

    def other_end(self, connection):
        peer = self.link.classic_peer(self, connection.peer_address)
        return peer, peer.classic_connections.get(self.public_address) if peer else None

    def authenticated(self, connection, status):
        self.send_hci_packet(
            hci.HCI_Authentication_Complete_Event(status=status, connection_handle=connection.handle)
        )

    def on_hci_authentication_requested_command(self, command):
        connection = self.find_classic_connection_by_handle(command.connection_handle)
        if connection is None:
            self._send_hci_command_status(Status.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, command.op_code)
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection.ssp_state = controller.SspState(is_initiator=True)
        _, other = self.other_end(connection)
        if other is not None:
            other.ssp_state = controller.SspState()
        self.send_hci_packet(hci.HCI_Link_Key_Request_Event(bd_addr=connection.peer_address))

    def on_hci_link_key_request_reply_command(self, command):
        """The keys of both ends are compared; there is no cryptography."""
        connection = self.classic_connections.get(command.bd_addr)
        if connection is not None:
            connection.ssp_state.link_key = command.link_key
            peer, other = self.other_end(connection)
            if other is not None and connection.ssp_state.is_initiator:
                peer.send_hci_packet(hci.HCI_Link_Key_Request_Event(bd_addr=self.public_address))
            elif other is not None:
                is_same = other.ssp_state.link_key == command.link_key
                status = Status.SUCCESS if is_same else Status.AUTHENTICATION_FAILURE_ERROR
                peer.authenticated(other, status)
        return hci.HCI_StatusAndAddressReturnParameters(Status.SUCCESS, command.bd_addr)

    def on_hci_link_key_request_negative_reply_command(self, command):
        connection = self.classic_connections.get(command.bd_addr)
        if connection is not None:
            if connection.ssp_state.is_initiator:
                self.send_hci_packet(hci.HCI_IO_Capability_Request_Event(bd_addr=command.bd_addr))
            else:
                peer, other = self.other_end(connection)
                if other is not None:
                    peer.authenticated(other, Status.PIN_OR_KEY_MISSING_ERROR)
        return hci.HCI_StatusAndAddressReturnParameters(Status.SUCCESS, command.bd_addr)

    def on_hci_set_connection_encryption_command(self, command):
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection = self.find_classic_connection_by_handle(command.connection_handle)
        peer, other = self.other_end(connection) if connection else (None, None)
        for member, end in ((self, connection), (peer, other)):
            if end is not None:
                member.send_event(
                    hci.HCI_ENCRYPTION_CHANGE_EVENT,
                    struct.pack("<BHB", Status.SUCCESS, end.handle, command.encryption_enable),
                )
