import { BoundedMap } from '@svc/collections';
import type { Clock } from '../../clock';

interface Answer<T> {
  askedMs: number;
  value: Promise<T>;
}

/** Keeps answers for a moment, so that many who ask cost as much as one. Failures are not kept. */
export class FreshAnswers<T> {
  private readonly answers: BoundedMap<string, Answer<T>>;

  /**
   * @param freshMs how long an answer is given again
   * @param most how many are kept; those that came first go first
   */
  constructor(
    private readonly clock: Clock,
    private readonly freshMs: number,
    most: number,
  ) {
    this.answers = new BoundedMap(most);
  }

  get(question: string, ask: () => Promise<T>): Promise<T> {
    const nowMs = this.clock.nowMs();
    const known = this.answers.get(question);
    if (known && nowMs - known.askedMs < this.freshMs) return known.value;
    const answer = { askedMs: nowMs, value: ask() };
    this.answers.set(question, answer);
    answer.value.catch(() => {
      if (this.answers.get(question) === answer) this.answers.delete(question);
    });
    return answer.value;
  }
}
