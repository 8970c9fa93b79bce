const MADE_OF = ['Amber', 'Basalt', 'Copper', 'Dusk', 'Ember', 'Fern', 'Granite', 'Harbour']
const MAKES = ['Bakers', 'Cables', 'Dyes', 'Engines', 'Fabrics', 'Glass', 'Hinges', 'Instruments']
const FIRST_NAMES = [
  'Ada',
  'Björn',
  'Carla',
  'Dmitri',
  'Émile',
  'Fatou',
  'Giulia',
  'Hana',
  'Ivo',
  'Jun',
].concat(
  [
    'Kofi',
    'Lena',
    'Marek',
    'Noor',
    'Oona',
    'Pablo',
    'Quentin',
    'Rosa',
    'Sanjay',
    'Tuva',
    'Uma',
    'Viktor',
  ],
  ['Wen', 'Ximena', 'Yara'],
)
const LAST_NAMES = [
  'Abara',
  'Brandt',
  'Costa',
  'Dubois',
  'Eriksen',
  'Falk',
  'Grau',
  'Horvat',
  'Ito',
  'Jansen',
].concat(
  [
    'Kaya',
    'Lindt',
    'Moreau',
    'Novak',
    "O'Brien",
    'Petit',
    'Quist',
    'Romano',
    'Silva',
    'Tanaka',
    'Ueda',
    'Vega',
  ],
  [
    'Weiss',
    'Xu',
    'Yilmaz',
    'Zeller',
    'Alder',
    'Birch',
    'Cedar',
    'Dogwood',
    'Elm',
    'Fir',
    'Ginkgo',
    'Hazel',
  ],
  ['Ivy', 'Juniper', 'Katsura', 'Larch', 'Maple', 'Oak'],
)
const DAY_MS = 86_400_000

/** Keys that need care in an address. */
export const PLACES = [
  { name: "King's Landing (old)", ZIP: '1' },
  { name: 'San José', ZIP: '2' },
  { name: 'Rye', ZIP: '3' },
]

/** 62 names, each once. */
export function companyRows() {
  return Array.from({ length: 62 }, (_, at) => ({
    name: `${MADE_OF[at % 8]} ${MAKES[Math.floor(at / 8)]}`,
    founded: new Date(Date.UTC(1950 + at, at % 12, 1 + (at % 28), 8, 30)).toISOString(),
  }))
}

/**
 * The first ten work for company 1, the next 150 for company 2, so that there is one relation of a
 * page and one of several; the others for one of the companies 3 to 62, and every fiftieth for no
 * company.
 */
export function employeeRows() {
  return Array.from({ length: 1000 }, (_, at) => {
    const number = at + 1
    return {
      firstName: FIRST_NAMES[Math.floor(at / 40)]!,
      lastName: LAST_NAMES[at % 40]!,
      salary: 20_000 + ((number * 7919) % 60_000),
      birthDate: new Date(Date.UTC(1960, 0, 1, 13, 0, 0, 447) + number * 9 * DAY_MS).toISOString(),
      hiringDate: new Date(Date.UTC(1999, 10, 1) + number * 5 * DAY_MS).toISOString().slice(0, 10),
      isActive: number % 3 !== 0,
      details: { skills: number % 2 === 0 ? ['welding'] : [] },
      employer: employerOf(number),
      home: number <= 12 ? PLACES[at % 3]!.name : null,
    }
  })
}

function employerOf(number: number): number | null {
  if (number <= 10) return 1
  if (number <= 160) return 2
  return number % 50 === 0 ? null : 3 + ((number * 7) % 60)
}

export function productRows() {
  return Array.from({ length: 25 }, (_, at) => ({
    name: `Part ${String.fromCharCode(65 + at)}`,
    price: 5 + at * 2.5,
    myBoolean: at % 2 === 0,
  }))
}
