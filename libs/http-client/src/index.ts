export { RestableConnection, restingConnector } from './resting-connector';
export { steadyConnector } from './steady-connector';
