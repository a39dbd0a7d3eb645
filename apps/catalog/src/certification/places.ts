/** Lets a given number work at once; the others wait for their turn, in order. */
export class Places {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private count: number) {}

  /** From now on `count` may work at once. */
  resize(count: number): void {
    this.count = count;
    this.admit();
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.admit();
    });
    try {
      return await work();
    } finally {
      this.taken--;
      this.admit();
    }
  }

  private admit(): void {
    while (this.taken < this.count) {
      const next = this.waiting.shift();
      if (!next) return;
      this.taken++;
      next();
    }
  }
}
