// Who may ask. The page is for the person at this machine, and a browser also runs the pages of strangers: a request
// must name this server as its host (a stranger's name that was bent to this address names itself), come from this
// server's own page where it comes from a page at all, and bear JSON, which no form of another page can send.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/serve/http.h"

namespace koridor::serve {

class Gatekeeper {
 public:
  // `names`: further names or addresses by which people reach the server, each with the port there where that is
  // another one (NAME:PORT, [ADDRESS]:PORT). Throws UserError where one is none of these.
  Gatekeeper(const std::string& address, int port, const std::vector<std::string>& names);

  // The response to a request that may not be answered; nothing where it may.
  std::optional<HttpResponse> refuse(const HttpRequest& request) const;

 private:
  bool knows(std::string_view host) const;
  bool is_own_page(std::string_view origin) const;

  std::string own_port_;            // ":8080"
  std::vector<std::string> hosts_;  // in lower case, with the port; without it, too, where browsers leave it out
};

}  // namespace koridor::serve
