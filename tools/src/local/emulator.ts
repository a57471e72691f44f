/** Reads and changes of whole tables, which are for a small one on an emulator. */
export {
  countRecords,
  forgetArrivals,
  idsWith,
  type StatusCounts,
  scanImages,
} from '../../../src/store/dynamodb/emulator.js';
