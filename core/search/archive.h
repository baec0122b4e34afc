// Trees of positions that were searched before, so that a search that comes back to one of them, or to one that lies
// inside such a tree, goes on with the visits that it had. All positions are of one game, and each is named by the
// actions that led to it from the start: proofs and values hold for that path.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <utility>
#include <vector>

#include "core/search/tree.h"
#include "core/types.h"

namespace koridor {

class TreeArchive {
 public:
  struct Entry {
    std::vector<Action> path;
    Tree tree;
  };
  using Place = std::list<Entry>::iterator;

  // A tree that knows a position, and the node of the position in it.
  struct Found {
    Place place;
    NodeIndex node = kNoNode;
    std::uint32_t visits = 0;  // 0: there is none
  };

  // Keeps a tree of the position after `path` in place of one of the same position, without room to grow.
  void put(std::vector<Action> path, Tree tree) {
    tree.release_room();
    const Place same = std::ranges::find(entries_, path, &Entry::path);
    if (same != entries_.end()) entries_.erase(same);
    entries_.push_front({std::move(path), std::move(tree)});
  }

  // The tree with the most visits of the position after `path`; of equals, the last one put here.
  Found find(std::span<const Action> path) {
    Found best;
    for (Place place = entries_.begin(); place != entries_.end(); ++place) {
      const NodeIndex node = find_below(*place, path);
      if (node == kNoNode || place->tree.node(node).visits <= best.visits) continue;
      best = {place, node, place->tree.node(node).visits};
    }
    return best;
  }

  // Takes out a tree whose root is the position that was asked for.
  Tree take(Place place) {
    Tree tree = std::move(place->tree);
    entries_.erase(place);
    return tree;
  }

  // Forgets the trees that were put here first, until the others use at most so many bytes; `spared` stays.
  void shrink(std::size_t bytes) { shrink(bytes, entries_.end()); }
  void shrink(std::size_t bytes, Place spared) {
    std::size_t used = memory_used();
    for (Place place = entries_.end(); used > bytes && place != entries_.begin();) {
      if (--place == spared) continue;
      used -= place->tree.memory_used();
      place = entries_.erase(place);
    }
  }

  std::size_t size() const { return entries_.size(); }
  std::size_t memory_used() const {
    std::size_t bytes = 0;
    for (const Entry& entry : entries_) bytes += entry.tree.memory_used();
    return bytes;
  }

 private:
  // kNoNode where the tree does not have the position, or has not searched it.
  static NodeIndex find_below(const Entry& entry, std::span<const Action> path) {
    if (entry.path.size() > path.size() || !std::ranges::equal(entry.path, path.first(entry.path.size()))) {
      return kNoNode;
    }
    NodeIndex node = Tree::kRoot;
    for (const Action action : path.subspan(entry.path.size())) {
      const Node& here = entry.tree.node(node);
      const Slot slot = entry.tree.find(here, action);
      node = slot < 0 ? kNoNode : entry.tree.child(here, slot);
      if (node == kNoNode) return kNoNode;
    }
    return entry.tree.node(node).expanded() ? node : kNoNode;
  }

  std::list<Entry> entries_;  // the last put here first
};

}  // namespace koridor
