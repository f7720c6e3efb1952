// toml++ is a C++ library; this shim gives Swift its parser as one C function.

#include "CTOML.h"

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include <toml++/toml.h>

extern "C" char *ctoml_to_json(const char *text, unsigned long size, char **error) {
    *error = nullptr;
    try {
        toml::table table = toml::parse(std::string_view(text, size));
        std::ostringstream json;
        json << toml::json_formatter{table};
        return strdup(json.str().c_str());
    } catch (const toml::parse_error &failure) {
        std::ostringstream message;
        message << failure.description() << " (line " << failure.source().begin.line << ", column "
                << failure.source().begin.column << ")";
        *error = strdup(message.str().c_str());
    } catch (const std::exception &failure) {
        *error = strdup(failure.what());
    }
    return nullptr;
}

extern "C" void ctoml_release(char *string) { free(string); }
