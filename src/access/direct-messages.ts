/**
 * Whether a place is somebody's direct messages: a conversation with one person, or that person. Everything else is a
 * channel. No other file of the pipeline knows how Slack writes the ids of places.
 */
export const isDirect = (place: string): boolean => /^[DUW]/.test(place);
