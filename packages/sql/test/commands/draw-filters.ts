import type { Random } from '../../../core/test/differential/random.ts'
import type { ClassName } from './draw-values.ts'

/** Comparisons of each dataclass, with what has no SQL among them. */
const COMPARISONS: { readonly [C in ClassName]: readonly string[] } = {
  Team: [
    'ID < 3',
    "name = 'red'",
    "name begin 'b'",
    'name is null',
    'founded > 1950-01-01',
    'players.score > 10',
    'players.name = Ada',
    'lead.name = Ben',
    "leadName = 'ada'",
    'size > 1',
    'size = 0',
    "players.label = '*@Red'",
    'passes.colour = gold',
    'crest is not null',
    'motto === Ada',
  ],
  Player: [
    'ID < 5',
    'ID in [1,2,3,9]',
    "name = 'e*'",
    "name begin 'a'",
    "name %% 'x'",
    "nick = 'new'",
    'score >= 10',
    'score < 50',
    'level != 1',
    'level is null',
    'big > 5',
    'joined < 2000-01-01',
    'pause > 1000',
    'active = true',
    'token is not null',
    'info.a = 1',
    "info.b[] = 'x'",
    'info.b.length > 1',
    "team.name = 'red'",
    'team is null',
    'team.founded is null',
    "teamName != 'blue'",
    'captain.team.name = Red',
    'mates.score > 1',
    "passes.colour = 'red'",
    "label = 'ada@*'",
    'rank > 10',
    'captain.rank > 1',
    'team.size > 1',
    'unknown = 1',
    'score = x',
    'cv is not null',
  ],
  Pass: [
    "code < 'b'",
    'colour = gold',
    'holder.score > 5',
    'holder.label = Ada*',
    "sponsor.name = 'Blue'",
    'tickets.price > 1',
    'holder is null',
  ],
  Ticket: ['price > 1', 'price is null', 'pass.colour = red', 'pass.holder.team.name = Red'],
  Form: [
    "email = 'ADA@*'",
    'mode = shut',
    'fee > 1',
    'place.city = Rome',
    "place.zip = '0'",
    'sent < 2024-06-01',
    'count = 1',
    'player.team.name = Red',
    "code begin 'a'",
  ],
  Door: ['key > 0', 'stamp is null', 'day > 2000-01-01', 'player.score > 1', "origin = 'here'"],
  Log: ["text begin 'sa'", 'ID > 2', 'text = gold'],
}

/** Filters without SQL. Entity sets are created from the others. */
const COMPUTED = /size|label|rank/
const isStored = (text: string): boolean => !COMPUTED.test(text)

export function filterOf(random: Random, name: ClassName, from = COMPARISONS[name]): string {
  const parts = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, () => {
    const part = random.pick(from)
    return random.chance(0.15) ? `not (${part})` : part
  })
  return parts.reduce(
    (all, part) => `${all} ${random.pick(['and', 'or', 'and', 'except'])} ${part}`,
  )
}

export const storedFilter = (random: Random): string =>
  filterOf(random, 'Player', STORED_COMPARISONS)
const STORED_COMPARISONS = COMPARISONS.Player.filter(isStored)

const ORDERS: { readonly [C in ClassName]: readonly string[] } = {
  Team: ['name', 'founded desc', 'lead.score', 'size desc', 'leadName', 'ID desc', 'nothing'],
  Player: [
    'name',
    'score desc',
    'team.name',
    'captain.score desc',
    'label',
    'rank desc',
    'teamName desc',
    'info.a',
    'active',
    'joined desc',
    'ID desc',
    'token',
    'big',
    'team.size',
  ],
  Pass: ['code desc', 'colour', 'holder.name', 'sponsor.name desc', 'holder.rank'],
  Ticket: ['price', 'code', 'pass.colour desc'],
  Form: ['code', 'email desc', 'fee', 'place.city', 'player.name', 'sent desc', 'mode'],
  Door: ['key desc', 'stamp', 'day', 'player.label', 'width'],
  Log: ['text', 'ID desc'],
}

export const orderOf = (random: Random, name: ClassName): string =>
  Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(ORDERS[name])).join(',')

export const storedOrder = (random: Random): string => random.pick(STORED_ORDERS)
const STORED_ORDERS = ORDERS.Player.filter(isStored)

const SHOWN: { readonly [C in ClassName]: readonly string[] } = {
  Team: ['*', 'name', 'founded', 'size', 'leadName', 'lead.name', 'lead.label', 'players.name'],
  Player: [
    '*',
    'name',
    'score',
    'label',
    'rank',
    'big',
    'joined',
    'info',
    'info.a',
    'team.name',
    'team.*',
    'team.size',
    'captain.captain.name',
    'mates.rank',
    'mates',
    'passes.colour',
    'cv',
    'nothing',
  ],
  Pass: ['*', 'colour', 'holder.name', 'holder.team.name', 'tickets.price', 'sponsor'],
  Ticket: ['*', 'price', 'pass.holder.label'],
  Form: ['*', 'email', 'place', 'place.city', 'player.name', 'mode', 'player.forms.code'],
  Door: ['*', 'key', 'stamp', 'opened', 'opened.at', 'width', 'checked', 'player.name'],
  Log: ['*', 'text'],
}
export const shownOf = (random: Random, name: ClassName): string =>
  Array.from({ length: 1 + random.below(3) }, () => random.pick(SHOWN[name])).join(',')

const RELATIONS: { readonly [C in ClassName]: readonly string[] } = {
  Team: ['lead', 'players', 'passes', '$all'],
  Player: ['team', 'captain', 'mates', 'passes', '$all'],
  Pass: ['holder', 'sponsor', 'tickets', '$all'],
  Ticket: ['pass'],
  Form: ['player', '$all'],
  Door: ['player', '$all'],
  Log: ['$all'],
}
export const relationOf = (random: Random, name: ClassName): string => random.pick(RELATIONS[name])

const VALUES: { readonly [C in ClassName]: readonly string[] } = {
  Team: ['ID', 'name', 'founded', 'size', 'leadName'],
  Player: [
    'score',
    'name',
    'level',
    'rank',
    'label',
    'joined',
    'active',
    'info.a',
    'pause',
    'big',
    'teamName',
    'token',
  ],
  Pass: ['code', 'colour'],
  Ticket: ['price', 'code'],
  Form: ['email', 'fee', 'count', 'place.city', 'sent', 'mode'],
  Door: ['key', 'stamp', 'day', 'width', 'checked', 'origin'],
  Log: ['text', 'ID'],
}
export const valuePathOf = (random: Random, name: ClassName): string => random.pick(VALUES[name])

const GROUPS: { readonly [C in ClassName]: readonly string[] } = {
  Team: ['founded.year', 'name', 'lead.level'],
  Player: ['team.name', 'level', 'active', 'joined.month', 'name', 'label', 'nick'],
  Pass: ['colour', 'holder.team.name', 'sponsor.name'],
  Ticket: ['price', 'pass.colour'],
  Form: ['mode', 'place.city', 'sent.month', 'player.team.name', 'fee'],
  Door: ['day.year', 'stamp', 'player.name', 'origin'],
  Log: ['text'],
}
export const groupOf = (random: Random, name: ClassName): string =>
  Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(GROUPS[name])).join(',')
