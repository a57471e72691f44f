// The app that `backlog init` writes, on the library's sources.
await import('../../../examples/starter/test/orders.test.js');
