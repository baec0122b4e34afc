// The leaves of one tree that wait for their evaluation, each with a ticket that names it until its prediction comes,
// and the virtual visits that they hold meanwhile.
#pragma once

#include <cstddef>
#include <vector>

#include "core/search/tree.h"

namespace koridor {

template <class State>
struct PendingLeaf {
  NodeIndex node = kNoNode;
  bool held = false;  // holds a virtual visit on its path (Tree::hold)
  State state;
  ActionMask actions;          // the legal ones
  ActionMask expected{};       // those that a model of the opponents expects; none where there is no such model
  std::vector<PathStep> path;  // from the root
};

template <class State>
class PendingLeaves {
 public:
  // `state`: any; `longest`: the largest number of steps on a path.
  PendingLeaves(const State& state, std::size_t longest) : longest_(longest) { add(state); }

  // Allows at most `most` leaves from now on, >= 1. Nothing may be pending.
  void set_most(int most) {
    most_ = most;
    while (static_cast<int>(leaves_.size()) < most) add(leaves_.front().state);
    forget();
  }

  int count() const { return count_; }
  bool full() const { return count_ == most_; }

  // Where the next leaf is written before it is known to be one. There must be room.
  PendingLeaf<State>& next() { return leaves_[static_cast<std::size_t>(free_.back())]; }
  // Makes it pending; returns its ticket, in [0, most).
  int hand_out() {
    const int ticket = free_.back();
    free_.pop_back();
    ++count_;
    return ticket;
  }
  void take_back(int ticket) {
    leaf(ticket).node = kNoNode;
    leaf(ticket).held = false;
    free_.push_back(ticket);
    --count_;
  }

  PendingLeaf<State>& leaf(int ticket) { return leaves_[static_cast<std::size_t>(ticket)]; }
  const PendingLeaf<State>& leaf(int ticket) const { return leaves_[static_cast<std::size_t>(ticket)]; }

  // visit(leaf) for every pending one.
  template <class Visit>
  void for_each(Visit&& visit) {
    if (count_ == 0) return;
    for (PendingLeaf<State>& leaf : leaves_) {
      if (leaf.node != kNoNode) visit(leaf);
    }
  }

  // Where several leaves may be pending at once, each of them holds a virtual visit of its path.
  [[gnu::noinline]] void hold(Tree& tree, PendingLeaf<State>& leaf) {
    tree.hold(leaf.path, leaf.node);
    leaf.held = true;
  }
  void release(Tree& tree, PendingLeaf<State>& leaf) {
    if (!leaf.held) return;
    tree.release(leaf.path, leaf.node);
    leaf.held = false;
  }

  // Nothing is pending any more; what is still held is no longer counted.
  void forget() {
    if (count_ == 0 && static_cast<int>(free_.size()) == most_) return;
    count_ = 0;
    free_.clear();
    for (int ticket = most_ - 1; ticket >= 0; --ticket) {
      leaf(ticket).node = kNoNode;
      leaf(ticket).held = false;
      free_.push_back(ticket);
    }
  }

  std::size_t memory_bytes() const {
    std::size_t bytes = free_.capacity() * sizeof(int);
    for (const auto& leaf : leaves_) bytes += sizeof(leaf) + leaf.path.capacity() * sizeof(PathStep);
    return bytes;
  }

 private:
  void add(const State& state) {
    leaves_.push_back({.state = state, .actions = {}, .expected = {}, .path = {}});
    leaves_.back().path.reserve(longest_);
    free_.push_back(static_cast<int>(leaves_.size()) - 1);
  }

  std::size_t longest_;
  int most_ = 1;
  int count_ = 0;
  std::vector<PendingLeaf<State>> leaves_;
  std::vector<int> free_;  // tickets; the last is next()'s
};

}  // namespace koridor
