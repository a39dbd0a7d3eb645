export { HttpConfig } from './http.config';
export { ConfigError, Env, loadConfig } from './load-config';
export { ProcessConfig } from './process.config';
export { NATS_SERVERS, ServiceConfig } from './service.config';
