import { type Random, randomToken } from 'dynamo-backlog/engine';
import { MADE_TO_ORDER, UNKNOWN_ARTICLE } from './sample-erp.js';

/** One record that the shop puts into the backlog. */
export interface ShopRecord {
  readonly id: string;
  readonly queue: string;
  readonly payload: unknown;
}

export interface SampleShopOptions {
  /** Queues for orders and for product updates, if the app has them. */
  readonly orders?: string | undefined;
  readonly products?: string | undefined;
  readonly random: Random;
  readonly insert: (records: readonly ShopRecord[]) => Promise<unknown>;
}

const OPENING_ORDERS = 12;
const OPENING_PRODUCTS = 4;
/** Real time in which orders come fast, while a user is watching. Then they come steadily. */
const BRISK_FOR_MS = 30_000;
const BRISK_EVERY_MS = 400;
const STEADY_EVERY_MS = 2_000;
/** Orders per product update. */
const ORDERS_PER_PRODUCT = 4;
/** Orders per order for an article that the ERP does not have. */
const ORDERS_PER_REJECT = 15;
/** Orders per order that waits until its article is made. */
const ORDERS_PER_MADE = 12;
/** Number of records at which the shop closes: the embedded DynamoDB is not made for more. */
const MAX_RECORDS = 10_000;

const ARTICLES = ['TEA-EARL-GREY', 'TEA-SENCHA', 'MUG-BLUE', 'KETTLE-1L', 'HONEY-250G'];
const CITIES = ['Lisboa', 'Łódź', 'Malmö', 'Nantes', 'Zürich'];

/** A small shop: writes orders and product updates as any service would, and does not know what delivers them. */
export class SampleShop {
  readonly #options: SampleShopOptions;
  readonly #prefix: string;
  readonly #openedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #orders = 0;
  #products = 0;
  #closed = false;

  constructor(options: SampleShopOptions) {
    this.#options = options;
    // The shop opens again at each start, on a table that may hold the orders of an earlier start.
    this.#prefix = randomToken(options.random).replace(/[-_]/g, 'x').slice(0, 4).toLowerCase();
  }

  get inserted(): number {
    return this.#orders + this.#products;
  }

  /** The orders of the first morning, at once; then one after the other. */
  async open(): Promise<void> {
    const records = [
      ...Array.from({ length: OPENING_ORDERS }, () => this.#order()),
      ...Array.from({ length: OPENING_PRODUCTS }, () => this.#product()),
    ];
    await this.#insert(records);
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#closed || this.inserted >= MAX_RECORDS) return;
    const brisk = performance.now() - this.#openedAt < BRISK_FOR_MS;
    this.#timer = setTimeout(
      async () => {
        const withProduct = this.#orders % ORDERS_PER_PRODUCT === 0;
        await this.#insert([this.#order(), ...(withProduct ? [this.#product()] : [])]);
        this.#schedule();
      },
      brisk ? BRISK_EVERY_MS : STEADY_EVERY_MS,
    );
  }

  async #insert(records: readonly (ShopRecord | undefined)[]): Promise<void> {
    // A shop goes on with its next order whatever happened to this one.
    await this.#options.insert(records.filter((record) => record !== undefined)).catch(() => {});
  }

  #order(): ShopRecord | undefined {
    if (this.#options.orders === undefined) return undefined;
    this.#orders += 1;
    const article = this.#article();
    const quantity = 1 + Math.floor(this.#options.random() * 3);
    return {
      id: `order-${this.#prefix}-${1000 + this.#orders}`,
      queue: this.#options.orders,
      payload: {
        order: 1000 + this.#orders,
        shipTo: this.#pick(CITIES),
        lines: [{ article, quantity }],
        total: quantity * 9.5,
        currency: 'EUR',
      },
    };
  }

  #article(): string {
    if (this.#orders % ORDERS_PER_REJECT === 5) return UNKNOWN_ARTICLE;
    return this.#orders % ORDERS_PER_MADE === 3 ? MADE_TO_ORDER : this.#pick(ARTICLES);
  }

  #product(): ShopRecord | undefined {
    if (this.#options.products === undefined) return undefined;
    this.#products += 1;
    return {
      id: `product-${this.#prefix}-${100 + this.#products}`,
      queue: this.#options.products,
      payload: { article: this.#pick(ARTICLES), stock: Math.floor(this.#options.random() * 200) },
    };
  }

  #pick(values: readonly string[]): string {
    return values[Math.floor(this.#options.random() * values.length)] ?? '';
  }
}
