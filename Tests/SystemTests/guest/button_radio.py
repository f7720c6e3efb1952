"""The air between the simulated adapter and the simulated buttons.

Bumble's Controller and LocalLink, made fit for a real Linux kernel as the host of one of the
controllers, and able to fail in the ways in which radios fail. Written against Bumble 0.0.236.
"""
import asyncio

from bumble import controller, hci, link, ll


class Air(link.LocalLink):
    """Carries packets between controllers, except from and to those that are out of reach."""

    def __init__(self):
        super().__init__()
        self.out_of_reach = set()

    def reachable(self, member):
        return member is not None and member in self.controllers and member not in self.out_of_reach

    def advertiser(self, address):
        """The controller that advertises with this address now and can be heard."""
        for member in self.controllers:
            advertiser = member.le_legacy_advertiser
            if advertiser.enabled and advertiser.address == address and self.reachable(member):
                return member
        return None

    def lose(self, member, peers):
        """Ends the connections of `member` as a supervision timeout does, at both ends."""
        reason = hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR
        for connection in list(member.le_connections.values()):
            for peer in peers:
                other = peer.le_connections.get(connection.self_address)
                if other is not None and other.self_address == connection.peer_address:
                    peer.on_le_disconnected(other, reason)
            member.on_le_disconnected(connection, reason)

    def send_advertising_pdu(self, sender, pdu):
        if not self.reachable(sender):
            return
        for member in list(self.controllers):
            if member is not sender and self.reachable(member):
                if isinstance(pdu, ll.ConnectInd):
                    # At once: the advertiser must not stop between being found and being connected.
                    member.on_ll_advertising_pdu(pdu)
                else:
                    asyncio.get_running_loop().call_soon(member.on_ll_advertising_pdu, pdu)

    def send_acl_data(self, sender, destination, transport, data):
        # LocalLink names the sender by its random address. The kernel connects with its public
        # one, so that only the connection knows which.
        connection = sender.le_connections.get(destination)
        receiver = self.find_le_controller(destination)
        if connection is not None and self.reachable(sender) and self.reachable(receiver):
            asyncio.get_running_loop().call_soon(
                receiver.on_link_acl_data, connection.self_address, transport, data
            )

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        sender = self.find_le_controller(sender_address)
        receiver = self.find_le_controller(receiver_address)
        if self.reachable(sender) and self.reachable(receiver):
            asyncio.get_running_loop().call_soon(receiver.on_ll_control_pdu, sender_address, packet)


class Controller(controller.Controller):
    """A controller that a Linux kernel can drive with the plain commands of Bluetooth 4."""

    # With these the kernel would use the extended commands, which Bumble implements in part.
    le_features = controller.Controller.le_features & ~(
        hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
        | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
        | hci.LeFeatureMask.LL_PRIVACY
    )
    rssi = -50

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.already_reported = set()

    def on_hci_reset_command(self, command):
        self.le_scan_enable = False
        self.pending_le_connection = None
        self.le_legacy_advertiser.stop()
        reason = hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(ll.TerminateInd(reason))
        self.le_connections.clear()
        return super().on_hci_reset_command(command)

    def on_hci_le_set_scan_enable_command(self, command):
        self.already_reported.clear()
        return super().on_hci_le_set_scan_enable_command(command)

    def on_hci_le_create_connection_cancel_command(self, _command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        # The kernel waits for this event; Bumble does not send it.
        cancelled = hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            connection_handle=0,
            role=hci.Role.CENTRAL,
            peer_address_type=pending.peer_address.address_type,
            peer_address=pending.peer_address,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, cancelled)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_advertising_pdu(self, pdu):
        advertiser = self.link.advertiser(pdu.advertiser_address)
        if advertiser is None:
            return  # it stopped while its packet was on the way
        if self.le_scan_enable:
            self.report(pdu, advertiser.le_legacy_advertiser)
        pending = self.pending_le_connection
        if pending is not None and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def report(self, pdu, advertiser):
        key = (bytes(pdu.advertiser_address), pdu.data)
        if self.filter_duplicates and key in self.already_reported:
            return
        self.already_reported.add(key)
        event = hci.HCI_LE_Advertising_Report_Event
        parts = [(event.EventType.ADV_IND, pdu.data)]
        if self.le_scan_type == 1:
            # On an active scan the kernel holds a report back until the scan response has come.
            parts.append((event.EventType.SCAN_RSP, advertiser.scan_response_data))
        for kind, data in parts:
            report = event.Report(
                event_type=kind,
                address_type=pdu.advertiser_address.address_type,
                address=pdu.advertiser_address,
                data=data,
                rssi=self.rssi,
            )
            self.send_hci_packet(event([report]))
