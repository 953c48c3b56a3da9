package home

import "time"

// How long things of a domain may take to do what they were told. Most answer at once or
// are heard within half a minute. A bolt or a valve has to turn, and a blind or a garage
// door has to travel.
const (
	momentToAct = 30 * time.Second
	timeToTurn  = time.Minute
	timeToMove  = 3 * time.Minute
)

// TimeToAct returns how long a thing of a domain that is awake may take to do what it was
// told.
func TimeToAct(domain string) time.Duration {
	switch domain {
	case "cover":
		return timeToMove
	case "lock", "valve", "climate":
		return timeToTurn
	}
	return momentToAct
}
