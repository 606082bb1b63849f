/** Mobile country code, mobile network code, name, price of a segment in micros of a euro. */
type SampleNetworkPrice = readonly [mcc: string, mnc: string, network: string, euroMicros: number]

/** Country, default price of a segment in micros of a euro, networks with a different price. */
type SamplePrice = readonly [country: string, euroMicros: number, networks?: readonly SampleNetworkPrice[]]

/** SAMPLE exchange rates for one euro. Round on purpose, so that no one mistakes them for real rates. */
export const SAMPLE_EXCHANGE: Readonly<Record<string, number>> = { EUR: 1, GHS: 12, USD: 1.1 }

/** SAMPLE prices: invented, but plausible. */
export const SAMPLE_PRICES: readonly SamplePrice[] = [
  [
    'GH',
    3_750,
    [
      ['620', '01', 'MTN', 3_500],
      ['620', '02', 'Telecel', 3_750],
      ['620', '03', 'AT', 4_000],
    ],
  ],
  [
    'NG',
    4_200,
    [
      ['621', '30', 'MTN', 4_000],
      ['621', '20', 'Airtel', 4_100],
      ['621', '60', '9mobile', 4_800],
    ],
  ],
  [
    'KE',
    9_500,
    [
      ['639', '02', 'Safaricom', 8_800],
      ['639', '03', 'Airtel', 9_200],
    ],
  ],
  [
    'ZA',
    14_000,
    [
      ['655', '01', 'Vodacom', 13_500],
      ['655', '10', 'MTN', 13_800],
    ],
  ],
  [
    'GB',
    38_000,
    [
      ['234', '10', 'O2', 36_500],
      ['234', '20', 'Three', 39_000],
    ],
  ],
  ['AE', 32_000],
  ['AT', 62_000],
  ['AU', 42_000],
  ['BE', 71_000],
  ['BF', 45_000],
  ['BJ', 41_000],
  ['BR', 18_000],
  ['CA', 8_500],
  ['CH', 55_000],
  ['CI', 43_000],
  ['CM', 39_000],
  ['CN', 29_000],
  ['DE', 72_000],
  ['DK', 44_000],
  ['EG', 52_000],
  ['ES', 48_000],
  ['ET', 58_000],
  ['FI', 61_000],
  ['FR', 49_000],
  ['GG', 38_000],
  ['IE', 57_000],
  ['IM', 38_000],
  ['IN', 6_500],
  ['IT', 53_000],
  ['JE', 38_000],
  ['JP', 64_000],
  ['LR', 47_000],
  ['MA', 54_000],
  ['ML', 51_000],
  ['MX', 27_000],
  ['NL', 68_000],
  ['NO', 51_000],
  ['PL', 31_000],
  ['PT', 37_000],
  ['RW', 33_000],
  ['SE', 46_000],
  ['SL', 44_000],
  ['SN', 46_000],
  ['TG', 42_000],
  ['TZ', 26_000],
  ['UG', 29_000],
  ['US', 7_800],
  ['ZM', 34_000],
]
