// Compiled for CPUs with AMX whatever the rest is compiled for.
#include "models/cpu/amx_kernels.h"

#include <immintrin.h>

#include <algorithm>
#include <type_traits>

namespace koridor::amx {
namespace {

// What the instruction ldtilecfg reads: all tiles have kRows rows of kRowBytes bytes.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  TileConfiguration() {
    for (int tile = 0; tile < 8; ++tile) {
      row_bytes[tile] = kRowBytes;
      rows[tile] = kRows;
    }
  }
};

// To g++ 12 an instruction that loads a tile reads no memory: what the program has stored must be in memory before.
inline void finish_stores() {
  asm volatile("" ::: "memory");
}

constexpr int kRowSums = kBlock * kRows;               // of a block: of this many outputs
using Sums = std::int32_t[kBlock * kRows * kRowSums];  // [square, output]

inline __m512 to_floats(__m128i bytes) {
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
}

inline __m128i load_bytes(const std::uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// Rounds to the nearest, clamped to [0, 255]; zero outside the mask.
inline void store_bytes(__m512 values, __mmask16 mask, std::uint8_t* to) {
  const __m512i rounded = _mm512_cvtps_epi32(_mm512_max_ps(values, _mm512_setzero_ps()));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_maskz_cvtusepi32_epi8(mask, rounded));
}

// Numbers of 32 outputs in their order, as the two tiles of a pair have them (paired_output()).
struct Pair {
  __m512 of[2];
};
inline Pair load_pair(const float* from) {
  const __m512 low = _mm512_loadu_ps(from);
  const __m512 high = _mm512_loadu_ps(from + kRows);
  return {{_mm512_shuffle_f32x4(low, high, 0b10'00'10'00), _mm512_shuffle_f32x4(low, high, 0b11'01'11'01)}};
}
inline void store_pair(__m512 first, __m512 second, float* to) {
  const __m512 low = _mm512_shuffle_f32x4(first, second, 0b01'00'01'00);
  const __m512 high = _mm512_shuffle_f32x4(first, second, 0b11'10'11'10);
  _mm512_storeu_ps(to, _mm512_shuffle_f32x4(low, low, 0b11'01'10'00));
  _mm512_storeu_ps(to + kRows, _mm512_shuffle_f32x4(high, high, 0b11'01'10'00));
}

inline Pair load_pair(const std::uint8_t* from) {
  const __m512i words = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  const __m512i zero = _mm512_setzero_si512();
  return {
      {_mm512_cvtepi32_ps(_mm512_unpacklo_epi16(words, zero)), _mm512_cvtepi32_ps(_mm512_unpackhi_epi16(words, zero))}};
}
// The same of two, for numbers below 2^31.
inline void store_pair(__m512 first, __m512 second, __mmask32 mask, std::uint8_t* to) {
  const __m512i words = _mm512_packus_epi32(_mm512_cvtps_epi32(first), _mm512_cvtps_epi32(second));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtusepi16_epi8(mask, words));
}

// What is done with the sums of a block of squares, a few squares at a time, while the matrix unit works on the next.
template <int Outputs, bool Adds, class Element>
class Writer {
 public:
  Writer(const Convolution& convolution, int output, float sum)
      : stride_(convolution.result_channels), sum_(_mm512_set1_ps(sum)) {
    load(convolution.scales + output, scales_);
  }

  void set_bias(const float* bias) { load(bias, bias_); }

  // The next squares are these; `to` is that of square 0 of the position.
  void begin(const Sums& sums, const std::int16_t* places, int first, int count, Element* to) {
    sums_ = sums;
    places_ = places + first;
    left_ = count;
    to_ = std::is_same_v<Element, float> ? to : to + static_cast<long>(first) * stride_;
  }

  inline __attribute__((always_inline)) void write(int count) {
    const std::int32_t* sums = sums_;
    const std::int16_t* places = places_;
    Element* to = to_;
    count = std::min(count, left_);
    left_ -= count;
    for (; count > 0; --count, ++places, sums += kRowSums) {
      __m512 values[Outputs];
      for (int i = 0; i < Outputs; ++i) {
        values[i] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_load_si512(sums + i * kRows)), scales_[i], bias_[i]);
      }
      if constexpr (std::is_same_v<Element, float>) {
        if (*places == kNowhere) continue;
        float* at = to + static_cast<long>(*places) * stride_;
        if constexpr (Outputs == 2) {
          store_pair(values[0], values[1], at);
        } else {
          _mm512_storeu_ps(at, values[0]);
        }
      } else {
        write_bytes(values, *places != kNowhere, to);
        to += stride_;
      }
    }
    sums_ = sums;
    places_ = places;
    to_ = to;
  }

 private:
  static void load(const float* from, __m512 (&to)[Outputs]) {
    if constexpr (Outputs == 2) {
      const Pair pair = load_pair(from);
      to[0] = pair.of[0];
      to[1] = pair.of[1];
    } else {
      to[0] = _mm512_loadu_ps(from);
    }
  }

  void write_bytes(__m512 (&values)[Outputs], bool inside, std::uint8_t* to) const {
    if constexpr (Outputs == 2) {
      if constexpr (Adds) {
        const Pair before = load_pair(to);
        for (int i = 0; i < 2; ++i) values[i] = _mm512_fmadd_ps(before.of[i], sum_, values[i]);
      }
      store_pair(values[0], values[1], static_cast<__mmask32>(-static_cast<int>(inside)), to);
    } else {
      if constexpr (Adds) values[0] = _mm512_fmadd_ps(to_floats(load_bytes(to)), sum_, values[0]);
      store_bytes(values[0], static_cast<__mmask16>(-static_cast<int>(inside)), to);
    }
  }

  const std::int32_t* sums_ = nullptr;
  const std::int16_t* places_ = nullptr;
  int left_ = 0;
  Element* to_ = nullptr;
  long stride_;
  __m512 sum_;
  __m512 scales_[Outputs] = {};
  __m512 bias_[Outputs] = {};
};

// The sums of `Squares` tiles of squares from `from` on and `Outputs` tiles of outputs; meanwhile() is called once for
// each step.
template <int Squares, int Outputs, class Meanwhile>
inline __attribute__((always_inline)) void multiply(const Convolution& convolution, const std::uint8_t* from,
                                                    const std::int8_t* weights, Sums& sums,
                                                    const Meanwhile& meanwhile) {
  const long row = convolution.channels;
  const long more_outputs = static_cast<long>(convolution.steps) * kTileBytes;
  const std::int32_t* offset = convolution.offsets;
  const std::int32_t* const end = offset + convolution.steps;
  _tile_zero(0);
  if constexpr (Outputs == 2) _tile_zero(1);
  if constexpr (Squares == 2) _tile_zero(2);
  if constexpr (Squares == 2 && Outputs == 2) _tile_zero(3);
  for (; offset != end; ++offset, weights += kTileBytes) {
    const std::uint8_t* at = from + *offset;
    _tile_loadd(4, at, row);
    _tile_loadd(6, weights, kRowBytes);
    _tile_dpbusd(0, 4, 6);
    if constexpr (Outputs == 2) {
      _tile_loadd(7, weights + more_outputs, kRowBytes);
      _tile_dpbusd(1, 4, 7);
    }
    if constexpr (Squares == 2) {
      _tile_loadd(5, at + kRows * row, row);
      _tile_dpbusd(2, 5, 6);
      if constexpr (Outputs == 2) _tile_dpbusd(3, 5, 7);
    }
    meanwhile();
  }
  constexpr long kStride = kRowSums * sizeof sums[0];
  _tile_stored(0, sums, kStride);
  if constexpr (Outputs == 2) _tile_stored(1, sums + kRows, kStride);
  if constexpr (Squares == 2) _tile_stored(2, sums + kRows * kRowSums, kStride);
  if constexpr (Squares == 2 && Outputs == 2) _tile_stored(3, sums + kRows * kRowSums + kRows, kStride);
}

// All squares of all positions for the `Outputs` tiles of outputs from `output` on.
template <int Outputs, bool Adds, class Element>
void convolve_outputs(const Convolution& convolution, int output, const Maps<Element>& maps, float sum) {
  const std::int8_t* weights = convolution.weights + static_cast<long>(output / kRows) * convolution.steps * kTileBytes;
  Writer<Outputs, Adds, Element> writer(convolution, output, sum);
  // The squares of a block are written by the time that the next one's sums are there.
  const int at_once = (kBlock * kRows + convolution.steps - 1) / convolution.steps;
  const auto meanwhile = [&] { writer.write(at_once); };
  alignas(64) Sums sums[2];
  int which = 0;
  for (int position = 0; position < maps.positions; ++position) {
    const std::uint8_t* from = maps.from + position * maps.from_stride;
    int square = 0;
    while (square < convolution.computed) {
      const std::uint8_t* at = from + static_cast<long>(square) * convolution.channels;
      const int count = std::min(kBlock * kRows, convolution.computed - square);
      if (count == kBlock * kRows) {
        multiply<2, Outputs>(convolution, at, weights, sums[which], meanwhile);
      } else {
        multiply<1, Outputs>(convolution, at, weights, sums[which], meanwhile);
      }
      if (square == 0) writer.set_bias(maps.bias + position * maps.bias_stride + output);
      writer.begin(sums[which], convolution.places, square, count, maps.to + position * maps.to_stride + output);
      square += count;
      which = 1 - which;
    }
  }
  writer.write(kBlock * kRows);
}

template <bool Adds, class Element>
void convolve_all(const Convolution& convolution, const Maps<Element>& maps, float sum) {
  finish_stores();
  int output = 0;
  for (; output + kBlock * kRows <= convolution.outputs; output += kBlock * kRows) {
    convolve_outputs<kBlock, Adds>(convolution, output, maps, sum);
  }
  if (output < convolution.outputs) convolve_outputs<1, Adds>(convolution, output, maps, sum);
}

}  // namespace

Session::Session() {
  const TileConfiguration configuration;
  // To g++ 12 the instruction reads its first eight bytes only.
  asm volatile("" : : "r"(&configuration) : "memory");
  _tile_loadconfig(&configuration);
}

Session::~Session() {
  _tile_release();
}

void convolve(const Convolution& convolution, const Maps<std::uint8_t>& maps, float sum) {
  if (sum == 0.0f) {
    convolve_all<false>(convolution, maps, sum);
  } else {
    convolve_all<true>(convolution, maps, sum);
  }
}

void convolve(const Convolution& convolution, const Maps<float>& maps) {
  convolve_all<false>(convolution, maps, 0.0f);
}

void pool(const Board& board, int channels, const std::uint8_t* map, float unit, const Pooled& to) {
  const __m512 to_largest = _mm512_set1_ps(unit);
  const __m512 to_mean = _mm512_set1_ps(unit / static_cast<float>(board.rows * board.columns));
  constexpr int kRun = 256;  // the sum of this many bytes certainly fits into 16 bits
  for (int channel = 0; channel < channels; channel += kRowBytes) {
    const int count = std::min(channels - channel, kRowBytes);
    const auto mask = static_cast<__mmask64>(~0ull >> (kRowBytes - count));
    const std::uint8_t* from = map + channel;
    __m512i totals[kRowBytes / kRows] = {};
    __m512i most = _mm512_setzero_si512();
    for (int first = 0; first < board.span(); first += kRun) {
      __m512i low = _mm512_setzero_si512();
      __m512i high = _mm512_setzero_si512();
      for (int left = std::min(kRun, board.span() - first); left > 0; --left, from += channels) {
        const __m512i bytes = _mm512_maskz_loadu_epi8(mask, from);
        low = _mm512_add_epi16(low, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)));
        high = _mm512_add_epi16(high, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bytes, 1)));
        most = _mm512_max_epu8(most, bytes);
      }
      const auto add = [](__m512i& total, __m256i words) {
        total = _mm512_add_epi32(total, _mm512_cvtepu16_epi32(words));
      };
      add(totals[0], _mm512_castsi512_si256(low));
      add(totals[1], _mm512_extracti64x4_epi64(low, 1));
      add(totals[2], _mm512_castsi512_si256(high));
      add(totals[3], _mm512_extracti64x4_epi64(high, 1));
    }
    const __m128i most_of[] = {_mm512_extracti32x4_epi32(most, 0), _mm512_extracti32x4_epi32(most, 1),
                               _mm512_extracti32x4_epi32(most, 2), _mm512_extracti32x4_epi32(most, 3)};
    for (int i = 0; i < count / kRows; ++i) {
      _mm512_storeu_ps(to.means + channel + i * kRows, _mm512_mul_ps(_mm512_cvtepi32_ps(totals[i]), to_mean));
      _mm512_storeu_ps(to.largest + channel + i * kRows, _mm512_mul_ps(to_floats(most_of[i]), to_largest));
    }
  }
}

void add_relu(const Board& board, int channels, float factor, const float* added, std::uint8_t* map) {
  const __m512 times = _mm512_set1_ps(factor);
  constexpr int kPair = kBlock * kRows;
  for (int row = 0; row < board.rows; ++row, map += board.line() * channels) {
    int channel = 0;
    for (; channel + kPair <= channels; channel += kPair) {
      const Pair plus = load_pair(added + channel);
      std::uint8_t* at = map + channel;
      for (int column = 0; column < board.columns; ++column, at += channels) {
        const Pair before = load_pair(at);
        store_pair(_mm512_fmadd_ps(before.of[0], times, plus.of[0]), _mm512_fmadd_ps(before.of[1], times, plus.of[1]),
                   ~__mmask32{0}, at);
      }
    }
    if (channel == channels) continue;
    const __m512 plus = _mm512_loadu_ps(added + channel);
    std::uint8_t* at = map + channel;
    for (int column = 0; column < board.columns; ++column, at += channels) {
      const __m512 values = _mm512_fmadd_ps(to_floats(load_bytes(at)), times, plus);
      store_bytes(values, ~__mmask16{0}, at);
    }
  }
}

}  // namespace koridor::amx
