// How much memory a search's tree is given beforehand, and how large it may become.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/game.h"
#include "core/search/tree.h"

namespace koridor {

// Room for a search's tree. It grows as it must; what is set aside beforehand need not grow.
struct SearchRoom {
  // Sets aside room for searches of so many visits, and bounds what play() keeps to visits + 1 nodes: then a game
  // allocates nothing after the search was made, as far as kMostReservedEdges go. 0: room grows, and play() keeps
  // everything.
  int visits = 0;
  // The tree has at most so many nodes (one more where that proves the root). play() keeps at most half as many. 0: no
  // limit.
  std::size_t nodes = 0;
  // The same in bytes of the tree (Tree::memory_used). While it is copied, by play() or to forget, up to half as many
  // come on top.
  std::size_t bytes = 0;
  // A full tree forgets what lies below its least visited nodes, so that half of it is free, and its search goes on; it
  // ends where that makes no room, as the root's own children fill the half. false: a full tree ends its search.
  bool forgets = false;

  SearchRoom(int visits_ = 0, std::size_t nodes_ = 0, std::size_t bytes_ = 0, bool forgets_ = false)
      : visits(visits_), nodes(nodes_), bytes(bytes_), forgets(forgets_) {}

  // The most nodes, and the most bytes, that play() keeps.
  std::size_t most_kept() const {
    const std::size_t by_visits = visits > 0 ? static_cast<std::size_t>(visits) + 1 : kNoNode;
    return nodes > 0 ? std::min(by_visits, std::max<std::size_t>(nodes / 2, 1)) : by_visits;
  }
  std::size_t most_kept_bytes() const { return bytes > 0 ? bytes / 2 : Tree::kAnyBytes; }
  // Nodes that are set aside.
  std::size_t reserved_nodes() const {
    const std::size_t by_visits = visits > 0 ? 2 * (static_cast<std::size_t>(visits) + 1) : 0;
    return nodes > 0 ? std::min(by_visits, nodes + 1) : by_visits;
  }
};

// A tree's edges that are set aside beforehand, at most: those of searches of 16,000 visits on 9x9. They are 72 MiB of
// addresses, twice in each search, and a program has many searches.
inline constexpr std::size_t kMostReservedEdges = std::size_t{4} << 20;

// An empty tree with that room, and with room for as many edges at each node as the first position has. Memory that is
// never written costs nothing.
template <Game G>
Tree make_tree(const G& game, const SearchRoom& room) {
  const Position<G> start(game);
  ActionMask actions;
  game.legal_actions(start.state, start.history, actions);
  const std::size_t nodes = room.reserved_nodes();
  Tree tree(nodes, std::min(nodes * static_cast<std::size_t>(actions.count()), kMostReservedEdges));
  tree.limit_nodes(room.nodes);
  tree.limit_bytes(room.bytes);
  return tree;
}

}  // namespace koridor
