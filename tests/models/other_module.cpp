// A module as another version of Koridor would have built it.
extern "C" const char* koridor_torch_build() {
  return "interface 0";
}
