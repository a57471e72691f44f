// Packages that blocks of the pages import, and that this project does not install.

declare module 'expect' {
  export {};
}

declare module '@opentelemetry/api' {
  const api: Parameters<typeof import('dynamo-backlog/lambda').openTelemetry>[0];
  export = api;
}
