export { steadyConnector } from './steady-connector';
