// The stored attributes of airports and flights, shared by all data files.
import { attribute } from '@entia/core'

export const airportAttributes = {
  iata: attribute.string({ key: true, maxLength: 4 }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string({ indexed: true }),
  state: attribute.string({ indexed: true }),
  country: attribute.string(),
  latitude: attribute.number({ notNull: true, min: -90, max: 90 }),
  longitude: attribute.number({ notNull: true, min: -180, max: 180 }),
  departures: attribute.relatedEntities('Flight', 'origin'),
  arrivals: attribute.relatedEntities('Flight', 'destination'),
}

export const flightAttributes = {
  ID: attribute.long({ key: true, autoSequence: true }), // the row in the file, from 1
  date: attribute.date({ notNull: true, indexed: true }),
  delay: attribute.long({ notNull: true, indexed: true }), // in minutes; negative when early
  distance: attribute.long({ notNull: true, indexed: true, min: 0 }), // in miles
  origin: attribute.relatedEntity('Airport', { foreignKey: 'originCode', onDelete: 'restrict' }),
  originCode: attribute.string({ notNull: true, collation: 'exact' }),
  destination: attribute.relatedEntity('Airport', {
    foreignKey: 'destinationCode',
    onDelete: 'restrict',
  }),
  destinationCode: attribute.string({ notNull: true, collation: 'exact' }),
}
