import fc from 'fast-check';

/** Random values of a field: a list of values, ranges and steps. */
function field(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: max - min + 2 });
  const item = fc.oneof(
    value.map(String),
    range,
    fc.tuple(fc.oneof(fc.constant('*'), value.map(String), range), step).map(([from, by]) => `${from}/${by}`),
  );
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('*') },
    { weight: 2, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')) },
  );
}

const anyDay = fc.constant('*');
const daysOfMonth = fc.oneof(
  field(1, 31),
  fc.constantFrom('L', 'LW'),
  fc.integer({ min: 1, max: 31 }).map((day) => `${day}W`),
);
const daysOfWeek = fc.oneof(
  field(1, 7),
  fc.constantFrom('L', 'MON-FRI', 'SUN', '6L', 'TUEL', '2#1', 'FRI#3', 'WED#5'),
);

/** Fields without L, W and #. */
export const plainCron: fc.Arbitrary<string> = fc
  .tuple(
    field(0, 59),
    field(0, 23),
    fc.oneof(
      field(1, 31).map((day) => [day, '?']),
      field(1, 7).map((weekday) => ['?', weekday]),
    ),
    field(1, 12),
    fc.oneof(fc.constant('*'), field(2020, 2040)),
  )
  .map(([minutes, hours, [day, weekday], months, years]) =>
    [minutes, hours, day, months, weekday, years].join(' '),
  );

/** Expressions that happen within a few days, mostly. */
export const frequentCron: fc.Arbitrary<string> = fc
  .tuple(
    field(0, 59),
    field(0, 23),
    fc.oneof(
      { weight: 4, arbitrary: anyDay.map((day) => [day, '?']) },
      { weight: 1, arbitrary: daysOfMonth.map((day) => [day, '?']) },
      { weight: 1, arbitrary: daysOfWeek.map((weekday) => ['?', weekday]) },
    ),
  )
  .map(([minutes, hours, [day, weekday]]) => `cron(${minutes} ${hours} ${day} * ${weekday} *)`);

/** Expressions of any kind, valid ones. */
export const anyExpression: fc.Arbitrary<string> = fc.oneof(
  frequentCron,
  plainCron.map((fields) => `cron(${fields})`),
  fc
    .tuple(fc.integer({ min: 2, max: 10_000 }), fc.constantFrom('minutes', 'hours', 'days'))
    .map(([count, unit]) => `rate(${count} ${unit})`),
);

/** Texts that resemble an expression. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(...' 0123456789*/-,?LW#()', 'cron(', 'rate(', 'at(', 'MON', 'JAN', ' days', '2199'),
      {
        maxLength: 60,
      },
    )
    .map((parts) => parts.join('')),
  fc
    .array(
      fc
        .array(fc.constantFrom(...'0123456789*/-,?LW#', 'MON', 'FEB', '2199', '30', '31'), {
          minLength: 1,
          maxLength: 6,
        })
        .map((parts) => parts.join('')),
      { minLength: 5, maxLength: 6 },
    )
    .map((fields) => `cron(${fields.join(' ')})`),
  fc.string({ maxLength: 250 }).map((body) => `rate(${body})`),
);
