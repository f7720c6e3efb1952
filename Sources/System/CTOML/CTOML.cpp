// toml++ is a C++ library; this shim offers its parser to Swift as C functions.

#include "CTOML.h"

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string_view>

// The parser of toml++ 3.3 asserts what some invalid texts make false ("[" and the end of the line, for
// example): that must be an error like any other, not the end of the process.
#define TOML_ASSERT(condition)                                                                                       \
    do {                                                                                                             \
        if (!(condition))                                                                                            \
            throw std::runtime_error("this is not TOML");                                                           \
    } while (false)

#include <toml++/toml.h>

namespace {

ctoml_place place_of(const toml::source_region &region) {
    return {region.begin.line, region.begin.column};
}

} // namespace

extern "C" char *ctoml_to_json(const char *text, unsigned long size, ctoml_place *place, char **error) {
    *error = nullptr;
    *place = {0, 0};
    try {
        toml::table table = toml::parse(std::string_view(text, size));
        std::ostringstream json;
        json << toml::json_formatter{table};
        return strdup(json.str().c_str());
    } catch (const toml::parse_error &failure) {
        *place = place_of(failure.source());
        *error = strdup(std::string(failure.description()).c_str());
    } catch (const std::exception &failure) {
        *error = strdup(failure.what());
    }
    return nullptr;
}

extern "C" ctoml_place ctoml_find(const char *text, unsigned long size, const char *keys, const long *sizes,
                                  unsigned long count, bool is_key) {
    ctoml_place place = {0, 0};
    try {
        toml::table table = toml::parse(std::string_view(text, size));
        toml::node *node = &table;
        for (unsigned long step = 0; step < count; step++) {
            if (sizes[step] < 0) {
                auto *array = node->as_array();
                node = array ? array->get(static_cast<size_t>(-1 - sizes[step])) : nullptr;
                if (!node)
                    break;
                place = place_of(node->source());
                continue;
            }
            std::string_view key(keys, static_cast<size_t>(sizes[step]));
            keys += sizes[step];
            auto *inner = node->as_table();
            if (!inner)
                break;
            auto found = inner->find(key);
            if (found == inner->end())
                break;
            node = &found->second;
            place = place_of(is_key ? found->first.source() : node->source());
        }
    } catch (const std::exception &) {
        // Invalid text has no places; ctoml_to_json has reported its error.
    }
    return place;
}

extern "C" void ctoml_release(char *string) { free(string); }
