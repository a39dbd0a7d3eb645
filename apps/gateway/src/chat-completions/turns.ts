/** Lets a given number work at once; the others begin in the order in which they came. */
export class Turns {
  private free: number;
  private readonly waiting = new Set<() => void>();

  /** @param patienceMs how long a turn is waited for */
  constructor(
    atOnce: number,
    private readonly patienceMs: number,
  ) {
    this.free = atOnce;
  }

  /**
   * @returns what the work does; undefined, and has not begun it, when no turn came in time
   * @throws whatever the work throws
   */
  async take<T>(work: () => Promise<T>): Promise<{ done: T } | undefined> {
    if (this.free > 0) this.free--;
    else if (!(await this.turn())) return undefined;
    try {
      return { done: await work() };
    } finally {
      this.passOn();
    }
  }

  /** @returns false when none came in time */
  private turn(): Promise<boolean> {
    return new Promise((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.waiting.delete(begin);
        resolve(false);
      }, this.patienceMs);
      this.waiting.add(begin);
    });
  }

  private passOn(): void {
    const [next] = this.waiting;
    if (!next) return void this.free++;
    this.waiting.delete(next);
    next();
  }
}
