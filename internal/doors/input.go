package doors

import (
	"net/url"
	"reflect"
	"strings"
)

// Fill sets the members of an input that come from the path and the query.
func Fill(in any, path func(name string) string, query func(name string) string) {
	v := reflect.ValueOf(in).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if name, ok := field.Tag.Lookup("path"); ok {
			v.Field(i).SetString(path(name))
		}
		if name, ok := field.Tag.Lookup("query"); ok {
			v.Field(i).SetString(query(name))
		}
	}
}

// Address is the path of a route with the members of an input that belong there, and its
// query.
func Address(path string, in any) string {
	v, query := reflect.ValueOf(in).Elem(), url.Values{}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if name, ok := field.Tag.Lookup("path"); ok {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(v.Field(i).String()))
		}
		if name, ok := field.Tag.Lookup("query"); ok && v.Field(i).String() != "" {
			query.Set(name, v.Field(i).String())
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// Members lists the members of the JSON object of an input, each with its field.
func Members(in any) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for field := range reflect.TypeOf(in).Elem().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			all[name] = field
		}
	}
	return all
}
