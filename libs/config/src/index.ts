export { ConfigError, Env, loadConfig } from './load-config';
export { ServiceConfig } from './service.config';
