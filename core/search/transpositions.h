// What the nodes of one position tell each other. Different orders of moves and walls lead to the same position, and a
// tree searches each of its nodes apart (README.md, "Why it is a tree"). With transpositions a node's value is the mean
// of two parts:
//
//     its own             its evaluation, or the value of its twin: a node of the same position that has more visits
//     its children's      their present values, each as often as it was visited
//
// A twin's value counts as much as its visits, up to a limit. So what was found by one order of moves counts for the
// others, while each node keeps its own visits, choices and proofs. (A graph search has one node for all of them, and
// shares the visits as well: Czech, Korus and Kersting 2021.)
//
// In games that look back, as by a rule of repetition or by superko, two nodes of one position differ by their past:
// nothing is shared there. Nor do proofs go from twin to twin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/base/growing_array.h"
#include "core/search/node.h"

namespace koridor {

// A node's value and visits as they were before a backup.
struct ValueBefore {
  MeanValues value{};
  std::uint32_t visits = 0;
};

// Beside the nodes of one tree, which calls these with its array of nodes.
class Transpositions {
 public:
  // What is a node's own, and not its children's.
  struct Own {
    MeanValues values{};
    double weight = 0;      // in visits
    double total = 0;       // with the children's visits: what the node's value is a mean over
    std::uint64_t key = 0;  // of its position; 0: nobody has named it
    NodeIndex twin = kNoNode;
  };
  static_assert(sizeof(Own) == 64);

  // Of a tree without nodes, with room for so many: the value of a twin counts at most as much as `visits`. 0: nothing
  // is shared or kept, and name(), evaluated(), child_visited() and own() must not be called.
  void share(int visits, std::size_t room) {
    most_ = static_cast<std::uint32_t>(visits);
    if (!on()) return;
    grow(room);
    add_table();
  }
  bool on() const { return most_ > 0; }
  std::uint32_t most_visits() const { return most_; }

  void clear() {
    if (++epoch_ == 0) {
      tables_.clear();
      epoch_ = 1;
    }
    for (Table& table : tables_) table.filled = 0;
    used_ = 0;
  }
  // Room for so many nodes.
  void grow(std::size_t nodes) {
    if (on()) own_.grow(nodes);
  }
  // Gives back the memory beside what so many nodes take.
  void shrink(std::size_t nodes) {
    if (!on()) return;
    own_.shrink(nodes);
    tables_.resize(std::min(tables_.size(), used_ + 1));
  }

  // A new node, without a visit.
  void add(NodeIndex index) {
    if (on()) own_[index] = Own{};
  }
  // The last node is a copy of one of another tree, which shares as this one does. Its twin is one that was copied
  // before it.
  void copy(const Transpositions& from, NodeIndex source, const Node* nodes, NodeIndex index) {
    if (!on()) return;
    own_[index] = from.own_[source];
    own_[index].twin = kNoNode;
    if (own_[index].key != 0) name(nodes, index, own_[index].key);
  }
  // A node loses its children, not their share in its value: that is its own part from now on.
  void forget_children(const Node* nodes, NodeIndex index) {
    if (!on()) return;
    own_[index].values = nodes[index].value;
    own_[index].weight = own_[index].total;
  }

  // Which position a node is of; once or several times.
  void name(const Node* nodes, NodeIndex index, std::uint64_t key) {
    Place& place = find(key);
    own_[index].key = key;
    if (place.node == kNoNode) {
      place.node = index;
      return;
    }
    const NodeIndex told = own_[place.node].twin;
    if (told != kNoNode && nodes[told].visits > nodes[place.node].visits) place.node = told;
    if (place.node == index) return;
    own_[index].twin = place.node;
    if (nodes[index].visits > nodes[place.node].visits) {
      own_[place.node].twin = index;
      place.node = index;
    }
  }

  // A node without children was evaluated, which its visits count already: for the first time, or again after it lost
  // them.
  void evaluated(Node* nodes, NodeIndex index, const MeanValues& values) {
    Own& own = own_[index];
    own.weight += 1.0;
    for (int player = 0; player < kMaxPlayers; ++player) {
      own.values[player] += (values[player] - own.values[player]) / own.weight;
    }
    ask_twin(nodes, index);
    own.total = own.weight;
    nodes[index].value = own.values;
  }

  // A child of a node has one visit more than `before`, and perhaps another value; so has the node.
  void child_visited(Node* nodes, NodeIndex index, const Node& child, const ValueBefore& before) {
    Node& node = nodes[index];
    Own& own = own_[index];
    MeanValues sum;
    for (int player = 0; player < kMaxPlayers; ++player) {
      sum[player] = node.value[player] * own.total + child.value[player] * child.visits -
                    before.value[player] * before.visits - own.values[player] * own.weight;
    }
    own.total += child.visits - before.visits - own.weight;
    ask_twin(nodes, index);
    own.total += own.weight;
    for (int player = 0; player < kMaxPlayers; ++player) {
      // Clamped, since the differences above round.
      node.value[player] = std::clamp((sum[player] + own.values[player] * own.weight) / own.total, 0.0, 1.0);
    }
  }

  const Own& own(NodeIndex index) const { return own_[index]; }  // for tests

 private:
  // An entry of the hash tables, from a position to the node of it that had the most visits when the table was last
  // asked.
  struct Place {
    std::uint64_t key;
    NodeIndex node;
    std::uint32_t epoch;  // filled where it is the present one
  };
  struct Free {
    void operator()(Place* places) const { std::free(places); }
  };
  // A table with linear probing. Its memory is zero and not written to beforehand.
  struct Table {
    std::unique_ptr<Place[], Free> places;
    std::size_t size = 0;    // a power of two
    std::size_t filled = 0;  // at most half of them
  };
  // A table never grows, since a search would stand still meanwhile: the next one is four times as large, and positions
  // are looked for in all of them.
  static constexpr std::size_t kFirstTable = 8192;
  static constexpr std::size_t kGrowth = 4;

 public:
  // What a node takes at most, with its share of the tables.
  static constexpr std::size_t kNodeBytes = sizeof(Own) + 2 * kGrowth * sizeof(Place);
  std::size_t memory_bytes() const {
    std::size_t bytes = own_.size() * sizeof(Own);
    for (const Table& table : tables_) bytes += table.size * sizeof(Place);
    return bytes;
  }

 private:
  // Takes the value of the twin where that has more visits; otherwise it is the twin that may ask.
  void ask_twin(const Node* nodes, NodeIndex index) {
    Own& own = own_[index];
    if (own.twin == kNoNode) return;
    const NodeIndex next = own_[own.twin].twin;
    if (next != kNoNode && next != index && nodes[next].visits > nodes[own.twin].visits) own.twin = next;
    const Node& other = nodes[own.twin];
    if (other.visits > nodes[index].visits) {
      own.values = other.value;
      own.weight = std::max(own.weight, static_cast<double>(std::min(other.visits, most_)));
    } else {
      Own& theirs = own_[own.twin];
      if (theirs.twin == kNoNode || nodes[theirs.twin].visits < nodes[index].visits) theirs.twin = index;
    }
  }

  // The place of a key, with its node or newly filled without one. Throws std::bad_alloc where it would need another
  // table; nothing has changed then.
  Place& find(std::uint64_t key) {
    for (std::size_t i = 0; i < tables_.size() && i <= used_; ++i) {
      Place& place = probe(tables_[i], key);
      if (place.epoch == epoch_) return place;
    }
    if (used_ < tables_.size() && 2 * (tables_[used_].filled + 1) > tables_[used_].size) ++used_;
    if (used_ == tables_.size()) add_table();
    Place& place = probe(tables_[used_], key);
    place = {key, kNoNode, epoch_};
    ++tables_[used_].filled;
    return place;
  }
  Place& probe(const Table& table, std::uint64_t key) const {
    const std::size_t mask = table.size - 1;
    for (std::size_t i = key & mask;; i = (i + 1) & mask) {
      Place& place = table.places[i];
      if (place.epoch != epoch_ || place.key == key) return place;
    }
  }
  void add_table() {
    Table table;
    table.size = tables_.empty() ? kFirstTable : kGrowth * tables_.back().size;
    table.places.reset(static_cast<Place*>(std::calloc(table.size, sizeof(Place))));
    if (table.places == nullptr) throw std::bad_alloc();
    tables_.push_back(std::move(table));
  }

  std::uint32_t most_ = 0;
  GrowingArray<Own> own_;  // [nodes]
  std::vector<Table> tables_;
  std::size_t used_ = 0;  // the table that takes new positions
  std::uint32_t epoch_ = 1;
};

}  // namespace koridor
