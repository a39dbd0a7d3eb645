export {
  CONNECTION_STALE,
  FRAMING_TOO_LARGE,
  RestableConnection,
  restingConnector,
} from './resting-connector';
export { retryAfterSeconds } from './retry-after';
export { steadyConnector } from './steady-connector';
