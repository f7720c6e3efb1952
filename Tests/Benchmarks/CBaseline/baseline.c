#include "baseline.h"
#include <dbus/dbus.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SERVICE "org.pushtotalk.Baseline"

extern char **environ;

// As long as the messages that ptt-accessoryd and the core send in their place, each with its NUL byte.
static const char request[] =
    "{\"method\":\"org.pushtotalk.Channel.BeginTransmitting\",\"parameters\":{\"source\":\"handsfreeButton\","
    "\"origin\":{\"kind\":\"bluetoothButton\",\"identifier\":\"F0:F1:F2:F3:F4:01\",\"name\":\"PTT-Z01\"}}}";
static const char event[] =
    "{\"parameters\":{\"sequence\":1000,\"time\":123456789012,\"event\":{\"kind\":\"transmissionBegan\","
    "\"transmission\":{\"transmissionID\":1000,\"source\":\"handsfreeButton\",\"origin\":{\"kind\":"
    "\"bluetoothButton\",\"identifier\":\"F0:F1:F2:F3:F4:01\",\"name\":\"PTT-Z01\"},\"began\":123456789012}}},"
    "\"continues\":true}";

static bool send_message(const char *message, size_t size) {
    return write(STDOUT_FILENO, message, size) == (ssize_t)size;
}

void *baseline_connect(const char *address) {
    DBusConnection *connection = dbus_connection_open_private(address, NULL);
    if (!connection) return NULL;
    dbus_connection_set_exit_on_disconnect(connection, FALSE);
    if (!dbus_bus_register(connection, NULL)) return NULL;
    return connection;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void read_all(DBusMessageIter *values) {
    for (int type; (type = dbus_message_iter_get_arg_type(values)) != DBUS_TYPE_INVALID;
         dbus_message_iter_next(values)) {
        if (dbus_type_is_container(type)) {
            DBusMessageIter inner;
            dbus_message_iter_recurse(values, &inner);
            read_all(&inner);
        } else {
            DBusBasicValue value;
            dbus_message_iter_get_basic(values, &value);
        }
    }
}

int64_t baseline_call(void *connection, const char *method) {
    int64_t start = now();
    DBusMessage *call = dbus_message_new_method_call(SERVICE, "/", SERVICE, method);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(connection, call, 1000, NULL);
    dbus_message_unref(call);
    if (!reply) return -1;
    DBusMessageIter values;
    if (dbus_message_iter_init(reply, &values)) read_all(&values);
    dbus_message_unref(reply);
    return now() - start;
}

static void append_entry(DBusMessageIter *dictionary, const char *name, int type, const char *signature, const void *value) {
    DBusMessageIter entry, variant;
    dbus_message_iter_open_container(dictionary, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
    dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
    dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
    dbus_message_iter_append_basic(&variant, type, value);
    dbus_message_iter_close_container(&entry, &variant);
    dbus_message_iter_close_container(dictionary, &entry);
}

static void append_status(DBusMessage *reply) {
    const char *channel = "F894764A-FD12-4607-B3F2-E2B385DD5145", *name = "Benchmark", *audio = "inactive";
    dbus_bool_t ready = TRUE;
    dbus_int64_t limit = 60;
    DBusMessageIter arguments, dictionary;
    dbus_message_iter_init_append(reply, &arguments);
    dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &dictionary);
    append_entry(&dictionary, "channelID", DBUS_TYPE_STRING, "s", &channel);
    append_entry(&dictionary, "name", DBUS_TYPE_STRING, "s", &name);
    append_entry(&dictionary, "audio", DBUS_TYPE_STRING, "s", &audio);
    append_entry(&dictionary, "isAudioServerReady", DBUS_TYPE_BOOLEAN, "b", &ready);
    append_entry(&dictionary, "timeLimit", DBUS_TYPE_INT64, "x", &limit);
    dbus_message_iter_close_container(&arguments, &dictionary);
}

static DBusHandlerResult answer(DBusConnection *connection, DBusMessage *message, void *data) {
    (void)data;
    if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    DBusMessage *reply = dbus_message_new_method_return(message);
    if (dbus_message_has_member(message, "Status")) append_status(reply);
    dbus_connection_send(connection, reply, NULL);
    dbus_message_unref(reply);
    return DBUS_HANDLER_RESULT_HANDLED;
}

int baseline_answer(const char *address) {
    DBusConnection *connection = baseline_connect(address);
    if (!connection || dbus_bus_request_name(connection, SERVICE, 0, NULL) < 0) return 1;
    dbus_connection_add_filter(connection, answer, NULL, NULL);
    while (dbus_connection_read_write_dispatch(connection, -1)) {}
    return 0;
}

// The first byte of `Value` in the changed properties of a PropertiesChanged signal, or -1.
static int changed_value(DBusMessage *message) {
    DBusMessageIter arguments, entries, entry, variant, bytes;
    if (!dbus_message_iter_init(message, &arguments) || !dbus_message_iter_next(&arguments)) return -1;
    dbus_message_iter_recurse(&arguments, &entries);
    for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
        const char *name;
        dbus_message_iter_recurse(&entries, &entry);
        dbus_message_iter_get_basic(&entry, &name);
        if (strcmp(name, "Value") != 0) continue;
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &variant);
        dbus_message_iter_recurse(&variant, &bytes);
        if (dbus_message_iter_get_arg_type(&bytes) != DBUS_TYPE_BYTE) return -1;
        unsigned char first;
        dbus_message_iter_get_basic(&bytes, &first);
        return first;
    }
    return -1;
}

// Of baseline_key().
static int keyboard = -1;

static bool make_keyboard(void) {
    struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL}, .name = "C Client Keys"};
    keyboard = open("/dev/uinput", O_WRONLY | O_CLOEXEC);
    return keyboard >= 0 && ioctl(keyboard, UI_SET_EVBIT, EV_KEY) == 0 && ioctl(keyboard, UI_SET_KEYBIT, KEY_F14) == 0
        && ioctl(keyboard, UI_DEV_SETUP, &setup) == 0 && ioctl(keyboard, UI_DEV_CREATE) == 0;
}

static bool set_key(int value) {
    struct input_event events[] = {
        {.type = EV_KEY, .code = KEY_F14, .value = value},
        {.type = EV_SYN, .code = SYN_REPORT},
    };
    return write(keyboard, events, sizeof events) == sizeof events;
}

static bool act(char *const *command) {
    if (!command) return send_message(request, sizeof request);
    pid_t child;
    return posix_spawnp(&child, command[0], NULL, NULL, command, environ) == 0;
}

static DBusHandlerResult receive(DBusConnection *connection, DBusMessage *message, void *command) {
    (void)connection;
    if (!dbus_message_is_signal(message, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged"))
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    int value = changed_value(message);
    if (keyboard >= 0) set_key(value == 1);
    else if (value == 1) act(command);
    return DBUS_HANDLER_RESULT_HANDLED;
}

int baseline_receive(const char *address, const char *path, char *const *command) {
    // The kernel forgets commands that have ended.
    signal(SIGCHLD, SIG_IGN);
    DBusConnection *connection = baseline_connect(address);
    if (!connection) return 1;
    char rule[512];
    snprintf(
        rule, sizeof rule,
        "type='signal',sender='org.bluez',path_namespace='%s',interface='org.freedesktop.DBus.Properties',"
        "member='PropertiesChanged'",
        path);
    DBusError error = DBUS_ERROR_INIT;
    dbus_bus_add_match(connection, rule, &error);
    if (dbus_error_is_set(&error)) return 1;
    dbus_connection_add_filter(connection, receive, (void *)command, NULL);
    if (keyboard < 0 && !act(command)) return 1;
    while (dbus_connection_read_write_dispatch(connection, -1)) {}
    return 0;
}

int baseline_key(const char *address, const char *path) {
    return make_keyboard() ? baseline_receive(address, path, NULL) : 1;
}

int baseline_relay(void) {
    char buffer[1024];
    while (read(STDIN_FILENO, buffer, sizeof buffer) > 0) {
        if (!send_message(event, sizeof event)) return 1;
    }
    return 0;
}
