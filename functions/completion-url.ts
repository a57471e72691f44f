import { completionUrlHandler } from './completion-url/completion-url-handler.js';

/** Ends attempts by signed links. */
export const handler = completionUrlHandler();
