import type { EnvironmentName } from '../target/environment-terms';
import type { Conversation } from './conversation';
import type { Charges } from './spending';

/** One promise of the interface, and how it is tried. */
export interface ConformanceCase {
  /** Of the interface, e.g. `4.1`. */
  section: string;
  /** What is promised, in one line; unique within its section. */
  promise: string;
  /** Promised in one environment only. */
  only?: EnvironmentName;
  /** Nothing unless said: the case is refused, or looks at replies that were paid for already. */
  charges?: Charges;
  /** Looks at what the key was charged: nothing else is asked in the meantime. */
  alone?: boolean;
  /**
   * @throws Deviation when the promise is broken
   * @throws NotApplicable when the target has not what it takes
   */
  run(conversation: Conversation): Promise<void> | void;
}
