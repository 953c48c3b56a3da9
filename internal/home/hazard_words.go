package home

import "strings"

// The words below are plain (see phrase): ä is ae, é is e. To add a language add
// its words to each list; nouns that put the thing first go into the lists whose
// name ends in First.

// set makes a set of words in one text.
func set(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		out[w] = true
	}
	return out
}

// gateClasses are the device classes of covers that keep people out.
var gateClasses = []string{"garage", "garage_door", "gate", "door"}

// harmlessDomains hold what only tells, plays or drives around.
var harmlessDomains = []string{
	"sensor", "binary_sensor", "media_player", "camera", "vacuum", "lawn_mower", "weather", "person", "todo", "calendar", "timer",
}

// frenchOven is a number in English, so it counts only where a name begins: "four
// de la cuisine", "le four".
const frenchOven = "four"

// hazardWords count by themselves, and with a plural s.
var hazardWords = func() map[string]Hazard {
	out := map[string]Hazard{}
	for h, text := range map[Hazard]string{
		Gate: `gate gates door doors garage garages garagedoor hatch hatches barrier barriers bollard bollards frontgate backgate sidegate
			gardengate tor tore toren tuer tueren tuere tur garagen pforte pforten gatter poller
			puerta puertas porton portones portal portales cancela verja garaje garajes cochera cocheras barrera compuerta
			porte portes portail portails portillon portillons barriere trappe deadbolt`,
		Hot: `oven ovens stove stoves stovetop cooker cookers hob hobs cooktop cooktops grill grills griddle barbecue bbq fryer fryers hotplate
			hotplates kiln sauna saunas fireplace fireplaces iron ofen oefen herd herde kochfeld kochfelder kochplatte kochplatten fritteuse
			friteuse buegeleisen kamin warmwasserbereiter durchlauferhitzer horno hornos estufa estufas vitroceramica vitro fogon fogones
			parrilla barbacoa freidora plancha chimenea cuisiniere cuisinieres gaziniere rechaud cuisson poele cheminee`,
		Wet: `valve valves sprinkler sprinklers irrigation faucet faucets tap taps hydrant stopcock spigot hose watermain watermains
			ventil ventile hahn haehne sprenger regner bewaesserung beregnung absperrung hauptwasser valvula valvulas grifo grifos riego
			aspersor aspersores vanne vannes electrovanne electrovannes robinet robinets arrosage arroseur arroseurs`,
		Loud: `siren sirens alarm alarms klaxon airhorn sirene sirenen sirenes alarmanlage alarmanlagen sirena sirenas alarma alarmas alarme
			alarmes`,
	} {
		for w := range strings.FieldsSeq(text) {
			out[w] = h
		}
	}
	return out
}()

// hazardTails end the compounds of German, and those English writes as one.
var hazardTails = map[string]Hazard{
	"door": Gate, "doors": Gate, "tuer": Gate, "tueren": Gate, "tuere": Gate, "pforte": Gate, "schranke": Gate, "schranken": Gate,
	"garage": Gate, "ofen": Hot, "oefen": Hot, "herd": Hot, "kochfeld": Hot, "kochplatte": Hot, "grill": Hot, "sauna": Hot, "kamin": Hot,
	"ventil": Wet, "ventile": Wet, "hahn": Wet, "bewaesserung": Wet, "sprenger": Wet, "beregnung": Wet,
	"sirene": Loud, "sirenen": Loud, "alarm": Loud, "alarmanlage": Loud,
}

// notHazards end like something dangerous and are not.
var notHazards = []string{
	"outdoor", "outdoors", "indoor", "indoors", "shepherd", "kontor", "mentor", "inventor", "cantor", "kantor", "invertor", "convertor",
	"konvertor", "realtor", "store",
}

// driveTails end compounds for what moves or switches the thing before them.
var driveTails = []string{
	"antrieb", "motor", "steuerung", "relais", "schalter", "taster", "oeffner", "offner", "summer", "schloss", "aktor", "opener", "oeffnung",
}

// composedHazards are words that mean something only together.
var composedHazards = map[string]Hazard{
	"water main": Wet, "water mains": Wet, "main water": Wet, "water shutoff": Wet, "water shut off": Wet, "gas main": Wet, "llave de paso": Wet,
	"arrivee d eau": Wet, "eau principale": Wet, "agua principal": Wet, "llave del agua": Wet,
	"water heater": Hot, "immersion heater": Hot, "hot plate": Hot, "kitchen range": Hot, "gas range": Hot, "electric range": Hot,
	"chauffe eau": Hot, "calentador de agua": Hot, "placa de cocina": Hot, "placa de induccion": Hot, "plaque a induction": Hot,
}

// openers move the gate of the area they are in.
var openers = set(`opener openers motor drive operator actuator antrieb oeffner torantrieb ouverture moteur abridor apertura`)

// rooms are hazards that are the name of a room as well.
var rooms = set(`garage garages garagen garaje garajes cochera cocheras`)

// appliances stand in a garage without opening it.
var appliances = set(`plug plugs outlet outlets socket sockets strip heater freezer fridge refrigerator compressor charger dehumidifier washer
	dryer radio speaker tv television steckdose steckdosen heizung kuehlschrank gefrierschrank ladegeraet wallbox prise prises enchufe enchufes
	thermostat pump pumpe`)

// What names are about when the thing itself is harmless.
var (
	lightHeads = set(`light lights lamp lamps lighting chandelier chandeliers bulb bulbs spot spots spotlight spotlights sconce sconces lantern
		lanterns led leds downlight downlights floodlight floodlights licht lichter lampe lampen leuchte leuchten beleuchtung strahler laterne
		laternen lichterkette`)
	lightTails = []string{"light", "lights", "lamp", "lamps", "licht", "lichter", "lampe", "lampen", "leuchte", "leuchten", "beleuchtung", "strahler", "laterne"}
	lightFirst = set(`lumiere lumieres lampe lampes eclairage eclairages ampoule ampoules lustre plafonnier applique lampadaire veilleuse luz
		luces lampara lamparas foco focos iluminacion bombilla bombillas farol faroles aplique plafon`)
	shadeHeads = set(`blind blinds shade shades curtain curtains drape drapes awning awnings rollo rollos jalousie jalousien markise markisen
		vorhang vorhaenge plissee plissees rollladen rolllaeden rolladen rollaeden gardine gardinen raffstore raffstores`)
	shadeTails = []string{"blind", "blinds", "rollo", "rollos", "jalousie", "jalousien", "markise", "vorhang", "vorhaenge", "plissee", "rollladen", "rolladen"}
	shadeFirst = set(`rideau rideaux jalousie jalousies persienne persiennes persiana persianas cortina cortinas estor estores toldo toldos`)
	// A shutter is not among them: a roller shutter may be a garage's door.

	harmlessHeads = set(`fan fans ventilator ventilatoren hood hoods abzug bell bells chime chimes doorbell klingel camera cameras cam kamera clock
		wecker`)
	harmlessFirst = set(`ventilateur ventilador hotte campana sonnette timbre camera camara`)
	// notHeads end like a light and are none.
	notHeads = []string{"heizstrahler", "skylight", "skylights"}
)

// germanFirst are things German names put before the garage they are in: "Licht
// Garage".
var germanFirst = set(`licht lampe leuchte beleuchtung strahler rollo rollladen jalousie markise ventilator`)

// carriers are what switches a thing, or which of several it is.
var carriers = set(`switch switches relay relays dimmer module socket plug outlet strip left right top bottom upper lower front back rear inside
	outside main one two three schalter relais dimmer modul steckdose links rechts oben unten vorn vorne hinten mitte aussen innen gauche droite
	izquierda derecha north south east west nord sued ost norte sur`)

var prepositions = set(`in on at by of over above under near behind with for to im am an auf vor ueber unter bei beim neben mit fuer zum zur de du
	des d del con en sur sous avec sobre`)

var conjunctions = set(`and und et y`)

var articles = set(`the a an my our der die das ein eine le la les l un une el los las una mein meine mon ma mi`)

// spelt is how letters with accents are spelt without.
var spelt = map[string]string{
	"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "àáâãåāăą": "a", "çćč": "c", "ďđ": "d", "èéêëēėęě": "e",
	"ğ": "g", "ìíîïīįı": "i", "ł": "l", "ñńň": "n", "òóôõōő": "o", "řŕ": "r", "śšş": "s", "ťţ": "t", "ùúûūůű": "u", "ýÿ": "y", "źžż": "z",
}
