package timers

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nathan-osman/go-sunrise"
)

// Place is where the house stands, in degrees: north and east are positive.
type Place struct{ Latitude, Longitude float64 }

// ParsePlace reads "latitude, longitude", such as "52.5, 13.4"; nil for an empty text.
func ParsePlace(text string) (*Place, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil //nolint:nilnil // no place is no mistake
	}
	first, second, ok := strings.Cut(text, ",")
	latitude, err := strconv.ParseFloat(strings.TrimSpace(first), 64)
	longitude, also := strconv.ParseFloat(strings.TrimSpace(second), 64)
	switch {
	case !ok || err != nil || also != nil:
		return nil, fmt.Errorf("%q is no place; expected latitude, longitude in degrees, such as 52.5, 13.4", text)
	case !(math.Abs(latitude) <= 90) || !(math.Abs(longitude) <= 180):
		return nil, errors.New("the latitude is from -90 to 90 and the longitude from -180 to 180 degrees, such as 52.5, 13.4")
	}
	return &Place{latitude, longitude}, nil
}

// civil is how far below the horizon the sun is in degrees when it is dark outside for
// most purposes: the end of civil twilight.
const civil = -6

// suns are the times of a day that the sun makes, by name.
var suns = map[string]func(p *Place, y int, m time.Month, d int) time.Time{
	"sunrise": func(p *Place, y int, m time.Month, d int) time.Time {
		rise, _ := sunrise.SunriseSunset(p.Latitude, p.Longitude, y, m, d)
		return rise
	},
	"sunset": func(p *Place, y int, m time.Month, d int) time.Time {
		_, set := sunrise.SunriseSunset(p.Latitude, p.Longitude, y, m, d)
		return set
	},
	"dawn": func(p *Place, y int, m time.Month, d int) time.Time {
		begin, _ := sunrise.TimeOfElevation(p.Latitude, p.Longitude, civil, y, m, d)
		return begin
	},
	"dusk": func(p *Place, y int, m time.Month, d int) time.Time {
		_, end := sunrise.TimeOfElevation(p.Latitude, p.Longitude, civil, y, m, d)
		return end
	},
}

// bySun is a time of day by the sun.
type bySun struct {
	name   string        // of suns
	offset time.Duration // after it; before it if negative
	place  *Place        // nil: nobody knows when it is
}

// parseSun reads the name of a time by the sun, perhaps with minutes after or before it:
// "sunset", "sunset-30".
func parseSun(text string, place *Place) (*bySun, bool) {
	name, minutes := text, 0
	if i := strings.IndexAny(text, "+-"); i > 0 {
		n, err := strconv.Atoi(text[i:])
		if err != nil || n <= -1000 || n >= 1000 {
			return nil, false
		}
		name, minutes = text[:i], n
	}
	return &bySun{name, time.Duration(minutes) * time.Minute, place}, suns[name] != nil
}

func (s *bySun) String() string {
	if s.offset == 0 {
		return s.name
	}
	return fmt.Sprintf("%s%+d", s.name, int(s.offset/time.Minute))
}

// on is when it is on a date, in whole minutes; zero where the sun does not rise or set then.
func (s *bySun) on(date time.Time) time.Time {
	if s.place == nil {
		return time.Time{}
	}
	y, m, d := date.Date()
	at := suns[s.name](s.place, y, m, d)
	if at.IsZero() {
		return at
	}
	return at.Add(s.offset).Round(time.Minute).In(date.Location())
}
