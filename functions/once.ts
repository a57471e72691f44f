/** Runs it at once, and gives its result or throws its error whenever asked. */
export function once<Result>(make: () => Result): () => Result {
  try {
    const result = make();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
