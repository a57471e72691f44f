import type { ConfigurationError } from 'dynamo-backlog';

/** The first thing that ends a runtime. */
export class Failure {
  first: ConfigurationError | undefined;
  readonly happened: Promise<ConfigurationError>;
  private resolve: (error: ConfigurationError) => void = () => {};

  constructor() {
    this.happened = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  tell(error: ConfigurationError): void {
    this.first ??= error;
    this.resolve(error);
  }
}
