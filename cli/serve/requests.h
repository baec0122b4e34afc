// The requests that are made by POST: their paths and the keys of their bodies, as docs/serve.md lists them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace koridor::serve {

// Whether a request by POST has this path.
bool is_request(std::string_view path);

// The body of a request of this path as an object. Throws UserError where it is none, and where it has a key that no
// request of the path has; a path that is_request() does not know may have any.
nlohmann::json read_request(std::string_view path, std::string_view body);

}  // namespace koridor::serve
