/** Chance that can be repeated: the same seed gives the same numbers (mulberry32). */
export class Chance {
  constructor(seed) {
    this.state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** At least 0, below 1. */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low, high) {
    return low + (high - low) * this.next();
  }

  below(count) {
    return Math.floor(this.next() * count);
  }

  exponential(mean) {
    return -Math.log(1 - this.next()) * mean;
  }

  /** Half of the values are below the median; `spread` is the deviation of the logarithm. */
  logNormal(median, spread) {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(spread * normal);
  }

  shuffle(items) {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
    }
    return shuffled;
  }
}
